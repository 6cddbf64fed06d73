"""English guards: what looks like a statement of the user and is none.

Owns questions, requests, conditions, suppositions, reported speech, hedges and sarcasm, over plain text.
"""

from __future__ import annotations

import re

from vaultkeeper.memory.events.lexicon_en import IMPERATIVE

_LEAD = (
    r"(?:(?:so|ok|okay|and|but|hey|hi|hello|btw|also|well|anyway|now|then|or|oh|ah|um|hmm+|yes|yeah|no|"
    r"nope|sorry|thanks|right|fyi|"
    r"actually|honestly|personally|tbh|plus|because|since|though|although|still|yet|however|anyways|"
    r"alright|all right|update|note|ps|p\.s|"
    r"for the record|by the way|as you know|as i said|in short|long story short|just so you know|for "
    r"context|context|reminder|heads up|just|"
    r"finally|again|besides|while|as|guess what|news|good news|bad news|turns out|for what it is worth|"
    r"first of all|lastly|quick update|"
    r"good|great|cool|fine|lol|haha|ugh|damn|phew|yay|done|edit|please note that|note that|know that|"
    r"remember that|keep in mind that|remember)(?![\w'-]) ?[,:!.…-]* ?)*"
)
LEAD = re.compile(_LEAD)

_AUX = r"(?:do|does|did|is|are|am|was|were|can|could|would|should|shall|will|may|might|must|has|have|had)"
_WHO = (
    r"(?:i|we|you|he|she|it|they|this|that|these|there|the|my|our|your|any|anyone|anybody|someone|somebody|"
    r"everyone|a|an|[a-z]+ing\b|one)"
)
QUESTION = re.compile(
    rf"^{_LEAD}(?:(?!do (?:the|that|your) (?:\w+ )?(?:one|first|second|third|last|option|version)\b){_AUX} (?:not "
    rf")?{_WHO}\b"
    r"|(?:to |at |in |on |for |with |by |from |since )?(?:what|which|who|whom|whose|where|when|why|"
    rf"how)(?: \w+){{0,3}} {_AUX}\b"
    r"|(?:what|which|who|how|why|where|when) (?:to|much|many|long|about|come|if|else|exactly|kind|often|"
    r"far|big|old|do|does|did)\b"
    r"|(?:what's|who's|where's|any (?:idea|chance|tips|thoughts|suggestions?|advice|objections|"
    r"recommendations|way|luck|other|etiquette|good)|got any|mind if|wanna|care to|anyone (?:know|here)|is "
    r"it|is there)\b)"
)
OPEN_QUESTION = re.compile(
    rf"^{_LEAD}(?:{_AUX}|what|which|who|whom|whose|where|when|why|how|any|anything|anyone|thoughts|ideas|"
    r"tips|suggestions|advice|worth|possible|"
    r"too|best|better|good|same|really|seriously|sure|think|know|remember|see|isn't|no|got|at what|in what|"
    r"in which|to which|for how|until when|from when|except|and)\b"
)
"""How a clause may begin that is a question when its sentence ends with a question mark."""
TAG = re.compile(
    r"^(?:right|ok|okay|no|yes|correct|huh|eh|yeah|yea|you know|(?:is|are|was|were|do|does|did|have|has|had|will|"
    r"would|"
    r"can|could|should) (?:not )?(?:it|we|i|they|he|she|that|there|you)|do not you think|or "
    r"not|or what|or|true|see|agreed|get it|deal)\b[ ?!.]*$"
)

REQUEST = re.compile(
    rf"^{_LEAD}(?:please\b|can (?:you|u|we|i|someone)\b|could (?:you|u|we|i)\b|would you\b|will you\b|(?:i|"
    r"we) (?:would|'d) (?:like|love|appreciate|prefer)\b|"
    rf"(?:now |then |just |maybe |kindly |do not |never )*{IMPERATIVE}(?! (?:is|are|was|it is)\b)\b|help\b|"
    r"thanks?\b|(?:i|we) need (?:a|an|some|you|your|help|the|ideas)\b|(?:i|we) want (?:you|a|an|some|to "
    r"(?:know|see|find))\b|"
    r"tell me|give me|show me|remind me|make me|walk me|let me|your (?:task|job) is|tl;dr|same for|any )"
)

SUPPOSED = re.compile(
    rf"^{_LEAD}(?:even )?(?:if|unless|suppos(?:e|ing)|imagin(?:e|ing)|pretend(?:ing)?|assum(?:e|ing)|say "
    r"(?:my|i|we|you|there|that)\b|let us (?:say|assume|pretend|imagine|suppose)|what if|in case|were i|"
    r"were we|had i|had we|"
    r"should (?:it|he|she|they|the|i|we|you|this|that|my|anything|\w+ \w+)\b|provided (?:that|we|i|you)|"
    r"as long as|given that you|according to|per (?!person|day|week|our)\w+|i wish|we wish|if only|as if|"
    r"as though|you are (?:a|an|the|now)\b|act (?:as|like)|act out|"
    r"role-?play|play the|for example|e\.g|for instance|in the (?:role|style|voice) of|hypothetically|"
    r"thought experiment|in theory|picture this|whether|wish i|only if|assuming|in an? (?:ideal|perfect) "
    r"world|example|sample|quote|once upon|(?:error|warning|fatal|info|debug|hint|usage|exception|alert) ?:)"
)
"""A sentence that begins so asserts nothing about the user."""

STANDING = re.compile(
    rf"^{_LEAD}(?:please )?(?:when(?:ever)? you (?!click|run|open|press|are done|have time|get)|whenever i "
    r"(?:ask|send|paste|write|give|say|mention|talk|share)|(?:every|any|each) time (?:i|you) |when (?:i "
    r"ask|i send|i paste|writing|answering|replying|talking|coding|summari[sz]ing|quoting|translating|in "
    r"doubt)\b)"
    rf"[^,?]{{2,80}}, (?:please |always |just |then |only |never |do not |kindly )*(?:{IMPERATIVE}|do not|"
    r"never|always|no) [^?]*$"
    r"|^(?:[\w-]+ ){1,3}, not (?:[\w-]+ ){1,3}, (?:for me|with me|always|please, always|every time)\b"
    r"|^(?!(?:i|we|he|she|it|they|you|that|this|there|not|yes|no|oh|as)\b)(?:[\w'-]+ ){1,5}, (?:please , "
    r")?(?:always|never|ever|every "
    r"time|no exceptions)[ .!]*$"
    rf"|^{_LEAD}(?:please )?(?:from now on|going forward|from here on|in future|in the future|by default|"
    rf"henceforth)(?: ,)? (?!(?:i|"
    r"we|he|she|it|they|you|there|the \w+|that|this|my \w+)\b)[^?]{3,80}$"
    r"|^(?:[\w'-]+ ){1,3}(?:everywhere|throughout|by default)(?: ,)? please\b"
    r"|^[\w -]{2,40}\bonly(?: ,)? please(?:, | \. )?(?:always|from now on|every time)?[ .!]*$"
    r"|^(?:[\w-]+ ){1,4}, (?:please , )?(?:that|this) is how i (?:like|want|prefer|take|drink|need)\b"
)
"""A standing instruction: on such an occasion, do so."""

_REPORTING = (
    r"(?:says?|said|saying|tells?|told|telling|claims?|claimed|claiming|writes?|wrote|written|writing|"
    r"asks?|asked|asking|thinks?|thought|thinking|wants?|wanted|wishes|wish|believes?|believed|"
    r"reckons?|hopes?|hoped|reads?|means?|meant|mentions?|mentioned|insists?|insisted|suggests?|suggested|"
    r"explains?|argues?|quotes?|shouts?|"
    r"announced|announces|states?|stated|answered|answers|replied|replies|heard|wondering|wonder|guess|"
    r"suppose|assume|assumes|doubt|forgot|forget|pretend|imagine|joke|joked|dreamed|dreamt|decide|knows?|"
    r"knew|"
    r"promised|promises|complained|complains|swears|swore)"
)
BLOCKED_BEFORE = re.compile(
    r"\b(?:if|unless|whether|how|why|what|which|who|whom|whose|where|like(?! \w+ ,)|than|lest|"
    rf"{_REPORTING}|according|supposedly|allegedly|bet|pity|would|could|might|not sure|unsure|not certain|"
    r"no idea|unclear|so that|such that|in case|"
    r"as if|as though|until|till|once|used to|instead of|rather than|without|maybe|perhaps|possibly|remind "
    r"me|reminds me|convince me|tell me|show me|the (?:\w+ )?(?:day|time|one|thing|way|reason|moment|book|"
    r"place|error|line|function|word|sentence|file|story|song|film|character))\b"
    r"|\b(?:when|while|after|before|whenever|that|because when|every time|each time|ever since|even though "
    r"when)(?: (?:\w+ly|just|then))? $"
)
"""Words before a statement, in its clause, that take it away from the user."""
OWN_WORDS = re.compile(
    rf"^{_LEAD}(?:(?:i|we) (?:told|promised|assured|informed) (?:\w+ ){{1,3}}(?:that )?|(?:i|we) can "
    r"(?:tell you|say|confirm) (?:that )?|now that |fact is (?:, )?|the (?:thing|truth|fact) is (?:that "
    r")?(?:, )?|the reason is (?:that )?|you should know (?:that )?|i (?:should|must|have to) (?:add|"
    r"mention|say|admit) (?:that )?|"
    r"i said (?=i will)|i think (?=i will (?:go with|take|stick))|(?:when(?:ever)?|while|as|after|before|"
    r"in|on|at|for|since|because|to|with|by|during|from|of|out of|given|due to|thanks to|despite|as of|as "
    r"a|as an|what ?- ?ever|even when|between) .{1,90}? ?,? )$"
)
"""What may stand before a statement without taking it away; a time or place before it, mostly."""

RELATIVE = re.compile(
    r"(?:^|.* )(?:this|that|the|a|an|these|those|some|every|each|one|another|all|my|our|your|his|her|their|"
    r"any)(?: [\w'-]+){0,3} $"
)
"""Words before a statement that end in a noun, which it then only describes: `the shelter I volunteer at`."""
LONGEST_LEAD_WORDS = 4
SHORT_HEDGE = re.compile(
    r"^(?:maybe|perhaps|possibly|hopefully|probably|not sure|i guess|no idea|who knows|idk|dunno)\b.{0,8}$"
)

HEDGED = re.compile(
    r"\b(?:maybe|perhaps|might|possibly|probably|thinking (?:of|about)|considering|consider|not sure|"
    r"unsure|undecided|i guess|i suppose|leaning|tempted|toying|on the fence|or not|depending|depends|"
    r"could (?:also |just )?(?:do|be|go|use|try)|should (?:probably|maybe)|wondering)\b"
)
"""A choice or plan with one of these is only considered."""
CONTINGENT = re.compile(
    r"\b(?:if|unless|in case|provided|as long as|should (?:the|it|they|he|she)|only when)\b"
)
DENIED = re.compile(
    r"\b(?:never|not|nobody|no one|neither|hardly|did not|have not|has not|had not|were not|was not|do "
    r"not|does not|can not|could not|yet to|refuse to|hesitate to|still have to|still need to|need to|"
    r"have to|trying to|tried to|want to|unable to|hard to|going to have to|about to|forgot to|failed to|"
    r"glad|sorry) $"
)
SARCASM = re.compile(
    r"^(?:oh|yeah|sure|ah|wow|well|yay|great|lovely|wonderful|fantastic|brilliant|awesome)[ ,]+(?:\.\.\. "
    r")?(?:yeah|right|sure|great|of course|wonderful|fantastic|brilliant|perfect|joy|lovely|because|how|"
    r"another|exactly|cause|totally|i just|i really|i love|just)\b"
    r"|🙄|🙃|\s/ ?s\s*$|\b(?:just|totally|absolutely|simply|so) (?:love|adore|enjoy)(?:ing)? (?:it when|"
    r"how|when|being|having|getting|waiting|mondays|paying|debugging|filling|rewriting|redoing|that|these|"
    r"those|losing|spending|the way)\b|\bjust what i (?:needed|wanted)\b|\bas if\b"
    r"|^(?:sure|yeah|right|yes|ok|okay) , and (?:i|we) (?:am|are) the\b|\blucky me\b|\bis what (?:i|we|he|she|they|"
    r"it) (?:wrote|said|told|says?|reads?|answered)\b|\bmy favou?rite (?:kind of (?:bug|error|problem)|part|thing "
    r"ever|error|bug)\b|\bwhat a "
    r"(?:joy|surprise|treat)\b|\bnot like i\b|\bwho does not\b|\bsaid no ?one ever\b|\bof course i (?:love|"
    r"always|never)\b"
)
IN_THE_PAST = re.compile(
    r"\b(?:(?<!am )(?<!are )(?<!getting )used to|when i was|when we were|as a (?:kid|child|student|"
    r"teen(?:ager)?|boy|girl|baby)|back "
    r"then|back in (?:the|19|20|my|school|college|university)|in my (?:youth|childhood|previous|former|old|"
    r"last job)|at my (?:old|former|previous|last)|years ago|once upon|in those days|at the time|growing "
    r"up|until (?:last|20|recently|then|19)|in (?:19\d\d|200\d|201\d)|in a former life|formerly|previously|"
    r"in the old days)\b"
)
"""Only the past is told; a duration up to now (`since`, `for … years`) is not."""
STILL = re.compile(
    r"\b(?:since|now|still|ever since|these days|nowadays|any ?more|any longer|no longer|grew up|was born|"
    r"i am|we are)\b"
)
