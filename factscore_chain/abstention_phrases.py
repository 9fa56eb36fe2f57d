"""How models say that they do not know: patterns, by what a clause does in an answer.

Matched against case-folded text with plain apostrophes and quotes, and without citation marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_KNOWLEDGE = (
    r"(?:information|info|details?|data|knowledge|records?|mentions?|references?|results?|sources?|"
    r"evidence|anything|anyone|anybody|biograph\w+|bios?|documents?|articles?|matches|match|context|"
    r"(?:person|people|individuals?|figures?|personalit\w+|celebrit\w+)\b)"
)
_SOURCES = (
    r"(?:documents?|passages?|sources?|search results?|results?|articles?|contexts?|texts?|pages?|"
    r"knowledge base|database|excerpts?|snippets?)"
)
_NOT = r"(?:(?:do|does|did|is|are|was|were|could|can|would|has|have) ?(?:not|n't)|cannot|can't)"
_FEW = r"(?:no|(?:not|n't) (?:much|enough|any|sufficient)|limited|little|insufficient)"

_ENGLISH_UNKNOWING = [
    r"\bidk\b",
    # "I could not find any information", never "I could not find peace"
    r"\b(?:i|we)(?: am| was|'m)? (?:can ?not|can't|could ?not|couldn't|unable to|not able to) "
    r"(?:seem to )?(?:\w+ ){0,2}?(?:find|locate|provide|give|offer|generate|write|create|share|"
    r"access|retrieve|see|recall) "
    rf"(?:.{{0,80}}?)\b{_KNOWLEDGE}",
    r"\b(?:i|we)(?: am|'m| was|'re| are)? (?:can ?not|can't|could ?not|couldn't|will not|won't|"
    r"unable to|not able to|will not be able to|won't be able to) "
    r"(?:\w+ ){0,2}?(?:help(?! but)|assist|answer|comply|fulfil\w*|verify|confirm|determine|identify|"
    r"discuss|disclose|provide (?:that|this|it|you))\b",
    r"\b(?:i|we) (?:do not|don't|did not|didn't) (?:currently |actually |really |personally )?"
    r"(?:have|possess|hold|find|recall|recognize|recognise|see) "
    rf"(?:.{{0,60}}?)\b{_KNOWLEDGE}",
    r"\b(?:i|we) (?:have|have got|'ve got|possess|found|find) (?:no|little|insufficient) (?:\w+ ){0,2}?"
    r"(?:information|info|details?|data|knowledge|records?|idea|clue|access|results?|mention|evidence)\b",
    r"\b(?:i|we) (?:do not|don't) (?:really |actually )?know"
    r"(?=\W*$|,| (?:who|what|anything|much|the answer|about|of|this|that|him|her|them|any|enough)\b)",
    r"\b(?:i am|i'm) (?:not familiar with|unfamiliar with|not aware of|unaware of)\b",
    r"\b(?:i am|i'm) (?:not sure|unsure|not certain)(?=\W*$|,| (?:who|what|about)\b)",
    r"\b(?:i|we) lack\b",
    r"\bmy (?:training data|training|knowledge(?: base)?|database|sources?|records?)\b.{0,30}?"
    r"(?:\b(?:not|no|nothing)\b|n't\b)",
    r"^(?:sorry,? )?(?:i have )?(?:no|not a) (?:clue|idea)\b",
    r"^nothing (?:was |has been |could be )?found\b",
    r"\bthe answer\b.{0,30}(?:\bnot\b|n't\b).{0,20}\b(?:in|provided|given|available|found|contained)\b",
    r"\bi have never heard of\b",
    r"\bi(?: would|'d| will|'ll)? need (?:you to |(?:some )?(?:more|additional|further|specific) )",
    r"\b(?:difficult|impossible|challenging|hard|not possible|unclear)(?: for me)? to "
    r"(?:provide|give|know|determine|identify|write|offer|say|answer|pinpoint|find|create)\b",
    r"\bwithout (?:any |more |further |additional |specific |enough |some |other ){1,3}(?:\w+ ){0,4}?"
    r"(?:information|context|details?)\b",
]
_ENGLISH_ABSENCE = [
    rf"\b(?:there (?:is|are|seems? to be|appears? to be)|there's) {_FEW} (?:\w+ ){{0,5}}?{_KNOWLEDGE}",
    # in the past tense a clause of its own only: "acquitted because there was no evidence" is a statement
    r"^there (?:was|were) (?:no|not enough|insufficient) (?:\w+ ){0,3}?(?:information|info|details|"
    r"results?|mention|data)\b",
    rf"\bthere (?:isn't|aren't|{_NOT} (?:seem|appear) to be|doesn't (?:seem|appear) to be) "
    rf"(?:\w+ ){{0,5}}?{_KNOWLEDGE}",
    r"\bthere (?:isn't|is not|is no|doesn't seem to be|seems to be no) (?:a |any )?"
    r"(?:well-known|notable|prominent|famous|known) ",
    r"^(?:unfortunately,? |sorry,? )?(?:no|not enough|insufficient) (?:\w+ ){0,3}?"
    r"(?:information|info|details|data|records?|results?|answer|sources|documents|evidence|matches)\b"
    r"(?:$|.{0,60}\b(?:found|available|provided|given|returned|located|exists?)\b)",
    rf"\bnone of (?:the|these|those|my|your) (?:\w+ ){{0,3}}?{_SOURCES} ",
    rf"\b(?:provided|given|search|retrieved|available|these|the|your|my) {_SOURCES}(?: \w+)? "
    r"(?:(?:do|does|did)(?: not|n't) (?:\w+ ){0,2}?|(?:contains?|includes?|provides?|has|have|gives?|"
    r"offers?) no)"
    r"(?:mention|contain|provide|include|discuss|refer|say|give|have|offer|answer|cover|information|"
    r"details)?",
    r"\binformation (?:about|on|regarding|concerning) .{1,60}? (?:is|was) (?:not |un)(?:readily |"
    r"currently )?available\b",
    r"(?:\b(?:is|are|was|were) not|\b(?:isn't|aren't|wasn't)) (?:mentioned|found|discussed|described|"
    r"listed|included|"
    r"covered|provided|given|referenced) (?:anywhere )?in (?:any of )?(?:the |these |this |my |your |our )"
    r"(?:(?:provided|given|search|retrieved|available|supplied|above) (?:\w+ )?(?:sources?|articles?|"
    r"pages?|texts?)|"
    r"(?:\w+ ){0,2}(?:documents?|passages?|contexts?|results?|excerpts?|snippets?|knowledge base|"
    r"database))\b",
]
"""A source's silence, which is the whole answer only if it is about the topic as a whole."""

_OTHER_UNKNOWING = [
    # German
    r"\bich (?:konnte|kann|habe|hab|weiß|weiss|finde|fand|besitze|verfüge)\b.{0,60}?\b(?:nicht|"
    r"nichts|keine?n?r?)\b"
    r"(?:.{0,60}?\b(?:finden|information\w*|angaben|auskunft|beantworten|helfen|sagen|gefunden|"
    r"wissen|daten)\b|\W*$)",
    r"\b(?:kann|konnte|habe|finde|fand|weiß|weiss) ich\b.{0,60}?\b(?:nicht|nichts|keine?n?r?)\b"
    r"(?:.{0,60}?\b(?:finden|information\w*|angaben|auskunft|beantworten|helfen|sagen|gefunden|"
    r"daten)\b|\W*$)",
    r"\bich (?:weiß|weiss)(?: es| das)?(?: leider)? nicht\b",
    r"\bkeine ahnung\b",
    r"\b(?:ist|sind|liegen) mir\b.{0,40}\b(?:keine?|nicht|nichts|unbekannt)\b",
    r"\b(?:es liegen|es gibt|liegen)\b.{0,20}\bkeine\b.{0,20}\b(?:informationen|angaben|daten)\b",
    r"\bmir (?:liegen|sind|ist)\b.{0,40}\b(?:keine?|nicht|nichts|unbekannt)\b",
    r"\b(?:leider )?keine (?:informationen|angaben|ergebnisse|daten)(?: \w+){0,6} (?:gefunden|"
    r"verfügbar|vorhanden)\b",
    r"\b(?:dokument\w*|quellen?|suchergebniss\w*|texten?|kontext)\b.{0,40}\b(?:nicht erwähnt|keine|"
    r"nichts|nicht)\b",
    # French
    r"\bje (?:n'ai|ne (?:sais|connais|peux|dispose|trouve|suis|possède|parviens))\b.{0,50}?\b(?:pas|"
    r"aucun\w*|rien)\b",
    r"\bil n'y a (?:pas|aucun\w*) (?:d'|de )?(?:information|renseignement|résultat|donnée)",
    r"\b(?:documents?|sources?|résultats?|textes?|contexte)\b.{0,40}\bne? ?(?:mentionn\w+|contien\w+|"
    r"fourni\w+) (?:pas|aucun)",
    r"\baucun(?:e)? (?:information|renseignement|résultat|donnée).{0,40}\b(?:trouvée?|disponible)",
    # Spanish
    r"\bno (?:tengo|dispongo|cuento|encuentro|encontré|he encontrado|he podido|pude|puedo|conozco|sé|poseo)\b"
    r".{0,60}?\b(?:información|datos|detalles|nada|respuesta|responder|ayudar\w*|encontrar|"
    r"resultados|proporcionar|quién|qué)",
    r"^(?:lo siento,? |perdón,? )?(?:pero )?no (?:lo )?sé\b\W*$",
    r"\bno (?:hay|existe|se encontr\w+)(?: \w+){0,2} (?:información|datos|resultados)\b",
    r"\b(?:documentos?|fuentes?|resultados|textos?|contexto)\b.{0,40}\bno (?:lo |la )?(?:menciona|"
    r"contiene|proporciona)",
    r"\bno (?:conozco|tengo conocimiento|tengo (?:ni )?idea)\b",
    # Italian
    r"\bnon (?:ho|sono riuscit\w|riesco|posso|conosco|so|dispongo|trovo)\b.{0,60}?"
    r"\b(?:informazion\w|dati|dettagli|nulla|niente|trovare|rispondere|aiutar\w+|fornire|chi|risultati)\b",
    r"^(?:mi dispiace,? |spiacente,? )?(?:ma )?non (?:lo )?so\b\W*$",
    r"\bnon (?:ci sono|è disponibile|sono disponibili)(?: \w+){0,2} (?:informazion\w|dati|risultati)",
    r"\b(?:documenti|fonti|risultati|testi|contesto)\b.{0,40}\bnon (?:lo |la )?(?:menziona|contien|"
    r"contengono|forni)",
    r"\bnon (?:conosco|ne ho idea)\b",
    # Portuguese
    r"\bnão (?:tenho|disponho|encontrei|consegui|consigo|posso|conheço|sei|possuo|foi possível)\b.{0,60}?"
    r"\b(?:informaç\w+|dados|detalhes|nada|responder|ajudar|encontrar|fornecer|quem|resultados)\b",
    r"^(?:desculpe,? |lamento,? )?(?:mas )?(?:eu )?não sei\b\W*$",
    r"\bnão (?:há|existem?|foram encontrad\w+)(?: \w+){0,2} (?:informaç\w+|dados|resultados)",
    r"\b(?:documentos?|fontes?|resultados|textos?|contexto)\b.{0,40}\bnão (?:o |a )?(?:menciona|"
    r"cont[eé]m|fornece)",
    r"\bnão (?:conheço|faço ideia|tenho conhecimento)\b",
    # Dutch
    r"\bik (?:kan|kon|heb|weet|vind|vond|beschik|ken)\b.{0,60}?\b(?:niet|niets|geen)\b"
    r"(?:.{0,60}?\b(?:vinden|informatie|gegevens|antwoord\w*|beantwoorden|helpen|gevonden|zeggen)\b|\W*$)",
    r"\b(?:kan|kon|heb|weet|vond) ik\b.{0,60}?\b(?:niet|niets|geen)\b"
    r"(?:.{0,60}?\b(?:vinden|informatie|gegevens|antwoord\w*|beantwoorden|helpen|gevonden|zeggen)\b|\W*$)",
    r"\ber (?:is|zijn) (?:helaas )?geen (?:informatie|gegevens|resultaten)",
    r"\b(?:documenten|bronnen|zoekresultaten|teksten|context)\b.{0,40}\b(?:niet|geen)\b",
    # Russian
    r"\bя (?:этого )?не знаю\b|^не знаю\b|\bнет (?:никакой )?(?:информации|данных|сведений)\b",
    r"\bне (?:могу|удалось|смог\w*|нашел|нашёл|нашла)\b.{0,40}\b(?:найти|ответить|предоставить|"
    r"помочь|информаци\w+)",
    # Chinese, Japanese, Korean
    r"(?:没有|沒有|未能?|无法|無法|找不到|查不到|没能|不能).{0,20}(?:信息|資訊|资讯|资料|資料|记录|記錄|回答|提供)",
    r"我(?:不知道|不清楚|不了解|不确定|不確定|不认识|不認識|无法|無法|不能)",
    r"^(?:извините|простите|к сожалению)\W*$",
    r"^(?:抱歉|对不起|對不起|不好意思)?[,、，]?不知道",
    r"情報.{0,12}(?:ありません|見つかり|見つけられ|ない|ございません|持って(?:い)?ません|見当たり)",
    r"(?:わかりません|分かりません|存じません|お答えできません|回答できません|知りません|わからない|分からない)",
    r"(?:정보|자료|기록).{0,14}(?:없|못)",
    r"(?:모르겠|모릅니다|몰라요|알 수 없습니다|답변할 수 없|답변드릴 수 없)",
]
_APOLOGY = [
    r"^(?:oh,? )?(?:i(?:'m| am) )?(?:so |very |truly |terribly )?sorry(?: about that| for (?:that|"
    r"the \w+))?\W*$",
    r"^(?:my |please accept my )?apologies\W*$",
    r"^i (?:sincerely |must |do )?apologi[sz]e(?: for [\w ]{0,40})?\W*$",
    r"^unfortunately\W*$",
    r"^(?:es )?tut mir (?:sehr )?leid\W*$",
    r"^(?:je suis )?(?:d[ée]solée?|navrée?)\W*$",
    r"^(?:lo siento|perdón|mi dispiace|spiacente|desculpe|lamento|sorry|het spijt me)\W*$",
    r"^(?:извините|простите|к сожалению)\W*$",
    r"^(?:抱歉|对不起|對不起|很抱歉|非常抱歉)\W*$",
    r"^(?:申し訳(?:あり|ござい)ません|すみません|죄송합니다)\W*$",
]
_REQUEST = [
    r"^(?:please|kindly) (?:do |also )?(?:provide|clarify|specify|give|share|let|check|try|feel|"
    r"note(?! that\b)|tell|rephrase|ask|"
    r"see|consult|contact|refer|confirm|make|be)\b",
    r"^(?:bitte|por favor|s'il vous plaît|per favore|请|請)\b",
    r"\b(?:can|could|would) you (?:please |kindly |possibly )?"
    r"(?:provide|clarify|specify|give|share|tell|check|let|confirm|offer|supply|rephrase)\b",
    r"^(?:perhaps )?if (?:there (?:is|are)|you(?:'re\b|'d\b|'ve\b| (?:could|can|would|have|are|meant|"
    r"mean|provide|give|need|"
    r"want|know|let|share|tell|like|do|wish|were)))\b",
    r"\b(?:please|kindly) (?:provide|clarify|specify|give|share|let me know|check|try|feel free)\b",
    r"\bi(?: would|'d| will|'ll| might| may| can)(?: also)? (?:be (?:happy|glad|able)|try|do my best|"
    r"be of)\b",
    r"\b(?:feel free|let me know|try again|try a more|do you have (?:any|more))\b",
    r"^(?:in order )?to (?:provide|give|help|assist)\b",
    r"\b(?:könnten|können) sie\b|\bpourriez-vous\b|\bpodr[ií]as?\b|\bpotresti\b|\bpotrebbe fornire\b|"
    r"\bpoderia\b|\bkunt u\b|\bkun je\b",
]
_ASIDE = [
    r"\bas an? (?:ai|artificial|large)\b",
    r"^(?:hello|hi|hmm+|well|sure|certainly|of course|great question|good question|thank\w*|okay|"
    r"ok)\b[^.]{0,40}$",
    r"\bit(?:'s| is)? (?:also )?(?:could be |may be |might be |seems? |appears? )?(?:possible|likely|"
    r"probable|unclear)\b",
    r"\bit (?:could|may|might) be (?:that|possible)\b",
    r"\b(?:a|any) (?:private|fictional|lesser-known|local|less common) (?:individual|person|"
    r"character|personalit\w+|figure)\b",
    r"\b(?:may|might|could) (?:also )?(?:be|have been|refer to|have) (?:a |an )?"
    r"(?:private|fictional|misspel\w+|multiple|several|many|different|common|incorrect|confus\w+|someone)",
    r"\b(?:likely|probably)? ?(?:several|multiple|many|different|various) (?:other )?(?:individuals|"
    r"people|persons)\b",
    r"\b(?:fairly |relatively |very |quite |rather )?(?:common|ambiguous) (?:name|term)\b",
    r"\b(?:not|n't)(?: to be| be)? (?:a |an |as )?(?:very |particularly |widely )?-?"
    r"(?:well[- ]known|widely[- ]known|known|publicly known|public|notable|recognized|prominent|famous)\b"
    r".{0,30}\b(?:figure|person|name|celebrity|individual|personality)\b",
    r"\b(?:relatively|lesser|less)[- ](?:unknown|known|private|common)\b",
    r"\b(?:misspelled|misspelling|violation of .{0,20}privacy|respect .{0,20}privacy|not a public figure)\b",
    r"\bthere (?:may|might|could) be\b",
    r"\bthe only (?:information|mention|reference|result)",
    r"^the (?:provided )?(?:search )?results? (?:is|are|only)\b",
    r"\b(?:additional|further|more) (?:\w+ ){0,3}?(?:would|may|might|could) (?:be|help)\b",
]
_ANSWER_FOLLOWS = [
    r"^(?:(?:he|she|they) (?!(?:may|might|could)\b)|it (?:is|was) (?:known|located|a |an |the )"
    r"|it was \w+(?:ed|en|un|lt|ld|de) (?:in|on|by|at|from)\b)",
    r"^(?:here (?:is|are)|here's|i (?:can (?:tell|share|say|offer|provide)|do know|know))\b",
    r"^(?:er|sie) (?:ist|war|wurde|hat)\b|^(?:il|elle) (?:est|était|a|fut)\b|^(?:él|ella|fue|era|es)\b",
    r"^(?:lui|lei|è|era|nacque)\b|^(?:ele|ela|foi|nasceu)\b|^(?:hij|zij) (?:is|was|werd)\b",
]

_STOCK = """
idk, i dunno, dunno, n/a, na, none, null, unknown, no answer, no comment, not sure, unsure, no idea, tbd, no
response, not available, not applicable, no information, nothing found, unanswerable, keine ahnung, weiß
nicht, weiss nicht, keine angabe, k.a, aucune idée, ni idea, ns/nc, boh, não sei, no lo sé, no sé, geen
idee, 无, 無, 不明, 未知, なし, 없음, 모름
"""
STOCK = frozenset(word.strip() for word in _STOCK.split(","))
"""Whole answers, without punctuation around them, that say nothing."""


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


UNKNOWING = _any([*_ENGLISH_UNKNOWING, *_OTHER_UNKNOWING])
"""Says outright that the writer cannot answer."""
ABSENCE = _any(_ENGLISH_ABSENCE)
"""Says that sources are silent."""
APOLOGY = _any(_APOLOGY)
REQUEST = _any(_REQUEST)
"""Asks the reader for something, or offers help."""
ASIDE = _any(_ASIDE)
"""States nothing that a knowledge source could support: guesses, remarks on the name or on the writer."""
ANSWER_FOLLOWS = _any(_ANSWER_FOLLOWS)
"""Opens an answer after all, once a contrast ("However, ...") was made."""
PARTIAL = re.compile(
    r"\b(?:about|on|of|regarding|concerning|for|to|into)\s+(?:"
    r"(?:his|her|their|its)\s+(?!(?:biograph|bio\b|life and|identity))|(?:who|what|when|where|why|"
    r"how|whether)\b|(?:the|any)\s+(?:exact|early|precise|date|place|cause|year|details?)\b|"
    r"[\w. -]{1,60}'s?\s+(?!(?:biograph|bio\b)))"
    r"|\b(?:über|zu|von) (?:seine|ihre|deren|dessen)|\bsobre sus?\b|\bsur (?:sa|son|ses)\b"
    r"|\bsu(?:l|lla|lle|i|gli)? (?:sua|suo|sue|suoi)\b|\bsobre (?:[oa]s? )?(?:seus?|suas?)\b|"
    r"\bover (?:zijn|haar)\b"
    r"|\b(?:when|where|why|how|whether)\s+(?:he|she|they|it|the|\w+ (?:was|were|is|did))\b"
)
"""Silence about one aspect only, as in "no information about her early life"."""
SUBJECT = re.compile(
    r"\b(?:named|called|name|about|on|of|for|regarding|(?:figure|person|individual) )\s+['\"]?"
    r"((?:[A-Z\u00c0-\u024f][\w'.\u00c0-\u024f-]*\s?){1,5})"
)
"""The name that a refusal is about; matched against text whose case was kept."""
NAME_STATES = re.compile(r"(?:[A-Z\u00c0-\u024f][\w'.-]*\s){1,5}(?:is|was|has|had|served|died|became|won)\b")
"""A name and its verb, as a statement opens; matched against text whose case was kept."""
CONTRAST = re.compile(
    r"^(?:however|but|nevertheless|nonetheless|still|that said|having said that|(?:es gibt )?aber|"
    r"jedoch|allerdings|mais|cependant|toutefois|pero|sin embargo|ma|tuttavia|mas|no entanto|"
    r"porém|maar|echter)\b[,:]?\s*"
)
CONCESSION = re.compile(r"^(?:although|though|even though|while|whilst|despite)\b[^,]*,\s*(?=\w)")
PREFACE = re.compile(
    r"^(?:(?:based on|according to|as of|from|in)\b[^,]{0,80},\s*(?:i can tell you that\s+)?"
    r"|i (?:\w+ )?(?:think|believe|guess|suppose)(?: that)?\s+)",
    re.IGNORECASE,
)
