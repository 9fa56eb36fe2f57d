// The report's data, as it stands in the page: all facts at once, what they rest on when it is asked for.

function readEvidence({ number }) {
  return JSON.parse(byId(`evidence-${number}`).textContent);
}

take(JSON.parse(byId("overview").textContent));
