// Elements, and the few ways in which values are written.

/** Makes an element. Children that are strings become text, never markup; null leaves out. */
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.flat().filter((child) => child !== null));
  return node;
}

function byId(id) {
  return document.getElementById(id);
}

function percent(value) {
  return value === null ? "no score" : `${(100 * value).toFixed(1)}%`;
}

function words(name) {
  return name.replaceAll("_", " ");
}

function some(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
