"""What the embedded editor makes of sentences with facts that have to go: table of edits, word for word."""

from __future__ import annotations

import pytest

from factscore_chain.edit.base import Policy
from factscore_chain.edit.embedded import edit_sentence
from tests.edits import request

REMOVALS = [
    # A series: first, middle and last item; two of three; a pair; a comma before "and" or none.
    (
        "Hedy Lamarr was a dancer, an actress, and an inventor.",
        ["Hedy Lamarr was a dancer."],
        ["Hedy Lamarr was an actress.", "Hedy Lamarr was an inventor."],
        "Hedy Lamarr was an actress and an inventor.",
    ),
    (
        "Hedy Lamarr was an actress, a dancer, and an inventor.",
        ["Hedy Lamarr was a dancer."],
        ["Hedy Lamarr was an actress.", "Hedy Lamarr was an inventor."],
        "Hedy Lamarr was an actress and an inventor.",
    ),
    (
        "Hedy Lamarr was an actress, an inventor and a dancer.",
        ["Hedy Lamarr was a dancer."],
        ["Hedy Lamarr was an actress.", "Hedy Lamarr was an inventor."],
        "Hedy Lamarr was an actress and an inventor.",
    ),
    (
        "The Rhine flows through Germany, France, Spain, and the Netherlands.",
        ["The Rhine flows through Spain."],
        ["The Rhine flows through Germany, France.", "The Rhine flows through the Netherlands."],
        "The Rhine flows through Germany, France, and the Netherlands.",
    ),
    (
        "The Rhine flows through Germany, Spain and Poland.",
        ["The Rhine flows through Spain.", "The Rhine flows through Poland."],
        ["The Rhine flows through Germany."],
        "The Rhine flows through Germany.",
    ),
    (
        "Marie Curie was a physicist and painter.",
        ["Marie Curie was a painter."],
        ["Marie Curie was a physicist."],
        "Marie Curie was a physicist.",
    ),
    # What is left of a subject takes its verb along, if that is enough.
    (
        "Hedy Lamarr and George Antheil were granted a patent in 1942.",
        ["George Antheil was granted a patent."],
        ["Hedy Lamarr was granted a patent in 1942."],
        "Hedy Lamarr was granted a patent in 1942.",
    ),
    (
        "Mercury and Pluto are the planets nearest to the Sun.",
        ["Pluto is nearest to the Sun."],
        ["Mercury is among the planets nearest to the Sun."],
        None,
    ),
    (
        "Both Lake Geneva and Lake Como lie in Switzerland.",
        ["Lake Como lies in Switzerland."],
        ["Lake Geneva lies in Switzerland."],
        None,
    ),
    # Appositions, with and without an end.
    (
        "Ada Lovelace, a Scottish painter, wrote about the Analytical Engine.",
        ["Ada Lovelace was a Scottish painter."],
        ["Ada Lovelace wrote about the Analytical Engine."],
        "Ada Lovelace wrote about the Analytical Engine.",
    ),
    (
        "The engine was designed by Charles Babbage, a French composer.",
        ["Charles Babbage was a French composer."],
        ["The engine was designed by Charles Babbage."],
        "The engine was designed by Charles Babbage.",
    ),
    (
        "The Louvre is a museum in Paris, Italy.",
        ["Paris is in Italy."],
        ["The Louvre is a museum in Paris."],
        "The Louvre is a museum in Paris.",
    ),
    # Relative clauses.
    (
        "Alan Turing, who was born in Sweden, worked at Bletchley Park.",
        ["Alan Turing was born in Sweden."],
        ["Alan Turing worked at Bletchley Park."],
        "Alan Turing worked at Bletchley Park.",
    ),
    (
        "Johann Sebastian Bach was a composer who wrote twelve operas.",
        ["Johann Sebastian Bach wrote twelve operas."],
        ["Johann Sebastian Bach was a composer."],
        "Johann Sebastian Bach was a composer.",
    ),
    (
        "The Nile, which rises in Egypt, flows into the Mediterranean Sea.",
        ["The Nile rises in Egypt."],
        ["The Nile flows into the Mediterranean Sea."],
        "The Nile flows into the Mediterranean Sea.",
    ),
    (
        "She lived in Vienna, where she studied law, and moved to London.",
        ["She studied law."],
        ["She lived in Vienna.", "She moved to London."],
        "She lived in Vienna, and moved to London.",
    ),
    # Dates and other phrases.
    (
        "Galileo Galilei was born in Pisa in 1570.",
        ["Galileo Galilei was born in 1570."],
        ["Galileo Galilei was born in Pisa."],
        "Galileo Galilei was born in Pisa.",
    ),
    (
        "Galileo Galilei was born in Rome in 1564.",
        ["Galileo Galilei was born in Rome."],
        ["Galileo Galilei was born in 1564."],
        "Galileo Galilei was born in 1564.",
    ),
    (
        "In 1905, Albert Einstein published four important papers.",
        ["Albert Einstein published in 1905."],
        ["Albert Einstein published four important papers."],
        "Albert Einstein published four important papers.",
    ),
    (
        "The bridge was opened in 1932 by the Queen of Denmark.",
        ["The bridge was opened by the Queen of Denmark."],
        ["The bridge was opened in 1932."],
        "The bridge was opened in 1932.",
    ),
    (
        "He taught in Basel from 1869 to 1889.",
        ["He taught from 1869 to 1889."],
        ["He taught in Basel."],
        "He taught in Basel.",
    ),
    (
        "Alexander Fleming died in London on 11 March 1955.",
        ["Alexander Fleming died on 11 March 1955."],
        ["Alexander Fleming died in London."],
        "Alexander Fleming died in London.",
    ),
    # Participles and infinitives.
    (
        "Louis Pasteur studied fermentation, winning the Nobel Prize.",
        ["Louis Pasteur won the Nobel Prize."],
        ["Louis Pasteur studied fermentation."],
        "Louis Pasteur studied fermentation.",
    ),
    (
        "Born in Chicago, Frida Kahlo painted many portraits of herself.",
        ["Frida Kahlo was born in Chicago."],
        ["Frida Kahlo painted many portraits of herself."],
        "Frida Kahlo painted many portraits of herself.",
    ),
    (
        "Guernica is a painting made by Joan Miró.",
        ["Guernica was made by Joan Miró."],
        ["Guernica is a painting."],
        "Guernica is a painting.",
    ),
    # Clauses and predicates.
    (
        "Iceland is an island, and it has three active railways.",
        ["Iceland has three active railways."],
        ["Iceland is an island."],
        "Iceland is an island.",
    ),
    (
        "Iceland is an island; its capital is Oslo.",
        ["Iceland's capital is Oslo."],
        ["Iceland is an island."],
        "Iceland is an island.",
    ),
    (
        "She wrote novels and composed symphonies.",
        ["She composed symphonies."],
        ["She wrote novels."],
        "She wrote novels.",
    ),
    (
        "She composed symphonies and wrote novels.",
        ["She composed symphonies."],
        ["She wrote novels."],
        "She wrote novels.",
    ),
    # Modifiers and the article before what is left; what somebody is called before the name.
    (
        "Edvard Munch was a Norwegian abstract painter.",
        ["Edvard Munch was abstract."],
        ["Edvard Munch was a Norwegian painter."],
        "Edvard Munch was a Norwegian painter.",
    ),
    (
        "Leonhard Euler was a German astronomer.",
        ["Leonhard Euler was German."],
        ["Leonhard Euler was an astronomer."],
        "Leonhard Euler was an astronomer.",
    ),
    (
        "The prize went to the chemist Wilhelm Röntgen.",
        ["Wilhelm Röntgen was a chemist."],
        ["The prize went to Wilhelm Röntgen."],
        "The prize went to Wilhelm Röntgen.",
    ),
    # Brackets, quoted titles, abbreviations.
    (
        "Mount Everest (first climbed in 1943) stands in the Himalayas.",
        ["Mount Everest was first climbed in 1943."],
        ["Mount Everest stands in the Himalayas."],
        "Mount Everest stands in the Himalayas.",
    ),
    (
        'Jane Austen wrote "Emma", "Persuasion", and "Jane Eyre".',
        ['Jane Austen wrote "Jane Eyre".'],
        ['Jane Austen wrote "Emma".', 'Jane Austen wrote "Persuasion".'],
        'Jane Austen wrote "Emma" and "Persuasion".',
    ),
    (
        "She was born in the U.S. in 1925 and later moved to St. Moritz.",
        ["She was born in 1925."],
        ["She was born in the U.S.", "She later moved to St. Moritz."],
        "She was born in the U.S. and later moved to St. Moritz.",
    ),
    (
        "Dr. Ignaz Semmelweis worked in Vienna, Prague, and Budapest.",
        ["Ignaz Semmelweis worked in Prague."],
        ["Ignaz Semmelweis worked in Vienna.", "Ignaz Semmelweis worked in Budapest."],
        "Dr. Ignaz Semmelweis worked in Vienna and Budapest.",
    ),
    # Titles with the commas inside, and with years behind.
    (
        'Jane Austen wrote "Emma," "Middlemarch," "Persuasion," and "Lady Susan."',
        ['Jane Austen wrote "Middlemarch".'],
        ['Jane Austen wrote "Emma".', 'Jane Austen wrote "Persuasion".', 'Jane Austen wrote "Lady Susan".'],
        'Jane Austen wrote "Emma," "Persuasion," and "Lady Susan."',
    ),
    (
        'Jane Austen wrote "Emma," "Persuasion," and "Middlemarch."',
        ['Jane Austen wrote "Middlemarch".'],
        ['Jane Austen wrote "Emma".', 'Jane Austen wrote "Persuasion".'],
        'Jane Austen wrote "Emma" and "Persuasion."',
    ),
    (
        'He directed "Metropolis" (1927), "Nosferatu" (1922), and "M" (1931).',
        ['He directed "Nosferatu" in 1922.'],
        ['He directed "Metropolis" in 1927.', 'He directed "M" in 1931.'],
        'He directed "Metropolis" (1927) and "M" (1931).',
    ),
    # What would be left must not lose its verb, its noun, its list's "and" or the place that it is part of.
    (
        "Anna Weber is an actress, born on 3 May 1942, in Basel, Switzerland.",
        ["Anna Weber was born on 3 May 1942."],
        ["Anna Weber is an actress.", "Basel is in Switzerland."],
        "Anna Weber is an actress, born in Basel, Switzerland.",
    ),
    (
        "He studied in Graz before moving to Paris in 1950, where he became a sculptor.",
        ["He moved to Paris in 1950."],
        ["He studied in Graz.", "He became a sculptor."],
        None,
    ),
    (
        "She was named a dame in 1999 and made a companion in 2001.",
        ["She was named a dame in 1999."],
        ["She was made a companion in 2001."],
        "She was named a dame and made a companion in 2001.",
    ),
    (
        "Linz is on the Danube, and the museum stands in Linz, Bavaria.",
        ["Linz is in Bavaria."],
        ["Linz is on the Danube.", "The museum stands in Linz."],
        "Linz is on the Danube, and the museum stands in Linz.",
    ),
    (
        "Marie Curie is a professional cyclist from Poland.",
        ["Marie Curie is a professional cyclist."],
        ["Marie Curie is from Poland."],
        "Marie Curie is from Poland.",
    ),
    (
        "She was born in Bern and spent her childhood in Kenya and overseas.",
        ["She spent her childhood in Kenya.", "She spent her childhood overseas."],
        ["She was born in Bern."],
        "She was born in Bern.",
    ),
    # Facts that overlap go together.
    (
        "Nikola Tesla studied in Graz and won the Turing Award in 1920.",
        ["Nikola Tesla won the Turing Award.", "Nikola Tesla won the Turing Award in 1920."],
        ["Nikola Tesla studied in Graz."],
        "Nikola Tesla studied in Graz.",
    ),
    # Nothing supported is left.
    ("Helsinki is the capital of Estonia.", ["Helsinki is the capital of Estonia."], [], ""),
    (
        "Helsinki, a port, is the capital of Estonia.",
        ["Helsinki is a port.", "Helsinki is the capital of Estonia."],
        [],
        "",
    ),
    ("Bern ist die Hauptstadt von Italien.", ["Bern ist die Hauptstadt von Italien."], [], ""),
    # No sentence would be left, or other facts need the words.
    (
        "Copenhagen is known for its opera house.",
        ["Copenhagen is known for its opera house."],
        ["Copenhagen has an opera house."],
        None,
    ),
    (
        "The whale is the largest fish.",
        ["The whale is a fish."],
        ["The whale is the largest."],
        None,
    ),
    (
        "Bern liegt an der Aare und am Rhein.",
        ["Bern liegt am Rhein."],
        ["Bern liegt an der Aare."],
        None,
    ),
]


@pytest.mark.parametrize(
    ("text", "wrong", "right", "expected"), REMOVALS, ids=[row[0][:40] for row in REMOVALS]
)
def test_unsupported_facts_are_taken_out(
    text: str, wrong: list[str], right: list[str], expected: str | None
) -> None:
    assert edit_sentence(request(text, wrong, right, policy=Policy.REMOVE)).text == expected
