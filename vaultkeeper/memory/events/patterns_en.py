"""English rules: what a decision, a commitment, a preference and a fact look like.

Owns the patterns over the plain form of a clause. A rule says where in a clause the statement begins; whether the
words before it let it stand is decided in `guards`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from vaultkeeper.memory.events.event import EventKind
from vaultkeeper.memory.events.lexicon_en import (
    ADVERBS,
    ATTRIBUTE,
    BELONGING,
    CLOCK,
    FUTURE,
    HABIT_VERB,
    HABITUAL,
    IMPERATIVE,
    KIN,
    LIKING,
    MONTH,
    ROLE,
    STATE,
    SUBJECT,
    UPSET,
    WEEKDAY,
)

S = rf"{SUBJECT} {ADVERBS}"
"""A first person and the adverbs after it."""
AM = rf"{S}(?:am|are) {ADVERBS}"
WILL = rf"{S}(?:will|shall|am going to|are going to) {ADVERBS}"

_REACTION = (
    r"(?:it|this|that|these|those|them|your|you|how|where|what|him|her|(?:the|that|this) (?:idea|way|look|sound|second|first|third|new|last|"
    r"other|latest|current|colou?rs?|tone|draft|version|result|suggestion|title|one|ending|rest)|, |!|\.|$|:)(?:\b|(?<=\W)|$)"
)
_APOLOGY = r"to (?:bother|ask|say|break|be|admit|interrupt|nag|complain|do this|disappoint|disagree|repeat|ruin|insist|rush|pester|know|see|hear|think|have)\b"
_ERRORS = (
    r"(?:get|got|see|saw|have|had|end|ended|forget|forgot|lose|lost|run into|ran into|wonder|wondered|thought|assumed|knew|know|understood|"
    r"understand|seem|mess|struggle|confuse|wanted|said|heard|did|was|were|been|am|are|meant|agreed|asked|signed|receive|received|happen|fail|"
    r"failed|crash|hit|fall|feel|need|told|promised|ordered|mind|will|would|could|should|imagined|dreamed|dreamt|hoped|wished|mix up|find|"
    r"found|seen|heard|been|tried|encountered|met|done|come across|experienced|gotten|worked with|gone|suspected|figured|gave|give up|get to|noticed|expected|realised|realized|learned how)\b"
)
_GET_HABIT = r"get (?:up|there|to (?!see|know|the point)|home|out of bed|my|here)\b"
_NOT_DECIDED = r"(?!not |never |yet\b)"
_CHOSEN = (
    r"(?:decided(?! by\b)|agreed(?! with (?:you|him|her|them|that))|chose|chosen|settled (?:on|for|that)|opted|picked(?! up\b| on\b)|elected to|"
    r"resolved (?:to|that|on)|voted (?:to|for|against|on|in favour)|concluded|made up (?:my|our) minds?|made (?:a|the|our|my) (?:final )?(?:decision|choice|call)|"
    r"went (?:with(?! my\b| him\b| her\b| them\b| us\b| a friend\b)|for(?! a (?:walk|run|ride|swim|drive|coffee|drink|beer|hike)\b))|gone (?:with|for)|"
    r"landed on|ruled out|ditched|scrapped|shelved|called off|cancell?ed|given up on|gave up on|switched to|moved (?:over|away from|everything)|"
    r"rejected|turned down|accepted|signed off on|finalised|finalized|locked in|approved|passed on(?= the)|postponed|dropped (?:the (?:idea|plan|project|course)|support)|"
    r"went ahead with|ended up (?:choosing|picking|going|taking|with|buying|ordering|keeping)|selected|committed to the|said (?:no|yes) to|said goodbye to|"
    r"abandoned|come down on|discarded|green-?lit|signed up with|done deliberating|found our winner|come to (?:a|the) decision|reached (?:a|the) (?:decision|agreement|consensus))\b"
)
_CHOOSING = (
    r"(?:going (?:with(?! (?:my|him|her|them|us|a friend|you|the flow)\b)|for(?! a (?:walk|run|ride|swim|drive|coffee)\b)|ahead with|back to|(?:all )?in on|full|without)|"
    r"sticking (?:with|to)|staying (?:with|on)|keeping|switching(?! between)|moving (?:to|over to|away from|off|everything|from)|migrating (?:to|from|off)|"
    r"dropping(?! (?:by|in|off)\b)|ditching|scrapping|skipping|adopting|replacing|standardi[sz]ing on|settling (?:on|for)|opting|choosing(?! between)|"
    r"picking(?! (?:up|between)\b)|phasing out|retiring the|abandoning|cancell?ing|postponing|shelving|leaving [^\W\d_]+ for|saying no to|getting rid of|giving up on|"
    r"making do without|not (?:going|doing|using|renewing|buying|taking|having|adding|supporting|selling|building|moving|hiring|keeping|switching|inviting|bringing|getting|migrating))\b"
)
_OPT_VERB = (
    r"(?:use|go (?:with|for|ahead with|back to|without)|stick (?:with|to)|stay with|switch|adopt|settle (?:on|for)|opt for|choose|pick(?! (?:up|you|him|her|them|the kids)\b)|"
    r"do without|replace|ditch|drop(?! (?:by|in|off|you|him|her|it)\b)|skip|keep(?! (?:you|in mind|an eye|it in mind|that in mind|going|trying|at it|looking|posted)\b)|"
    r"take(?! (?:a (?:look|break|picture|photo|bath|nap|closer|step|moment|deep|guess|peek|walk|stab)|care|note|notes|it (?:slow|easy|from)|over|him|her|you|that as|your word|the (?:kids|dog|car|bus|train|bin|trash|blame))\b)|"
    r"standardi[sz]e on|stop (?:doing|using|supporting|selling)|name it|call it|get rid of|move (?:to|everything|away)|migrate|cancel|postpone|leave it|go)\b"
)
_ORDINAL = r"(?:first|second|third|fourth|fifth|last|latter|former|other|next-to-last|middle|cheaper|cheapest|bigger|smaller|shorter|longer|simpler|simplest|later|earlier)"
_OPTION = r"(?:one|option|variant|plan|version|proposal|draft|design|suggestion|idea|alternative|choice|offer|model|date|slot|solution|title|name)"
_NAMED_OPTION = r"(?:option|plan|variant|version|number|proposal|no\.?|draft|design|alternative|solution|candidate) (?:[a-h]|\d{1,2}|one|two|three|four)\b"
_AGREE = r"(?:ok|okay|k|fine|alright|all right|right|yes|yeah|yep|yup|good|great|cool|perfect|sold|deal|hmm?|then|well|so|convinced|done)"

DECISION = (
    rf"{S}(?:have )?{_NOT_DECIDED}{_CHOSEN}",
    rf"{AM}{_CHOOSING}",
    rf"{S}(?:will|shall) (?:just |then |probably not |definitely |all )?{_OPT_VERB}",
    r"we will (?:not|no longer) (?!know|see|get|be able|have|need|understand|tell)[a-z]+",
    r"^(?:so )?let us (?:all |just |then |please )?(?:not )?(?:go (?:with|for|ahead with)|use|keep(?! (?:going|trying|in mind|it up))|stick|take (?!a (?:look|step|break|moment|closer|deep|walk|second)|this|that|it )|drop|skip|pick|choose|stay with|settle on|settle for|make it|call it|"
    r"leave it|switch|move to|do (?:the|option|plan|it (?:on|at|like|in)|both|all)|have the|agree|adopt|replace|rename|say (?:yes|no)|ship|postpone|cancel|get the|buy the|name it|paint it|meet|build|rent|order)\b",
    r"^(?:so |and |but |ok |then )?(?:(?:the|our|my|team|final|group|family|jury|unanimous) ){0,3}(?:decision|verdict|choice|pick|conclusion|resolution|consensus|outcome|winner)"
    r"(?: (?:on|about|for|regarding|of) (?:\w+ ){1,4}?| (?:today|now|yesterday) )? ?(?:is|was|stands|made|taken|:|fell on|falls on|=)(?! (?:not|hard|difficult|up|open|pending|still|unclear|mine|yours|due|easy|tough|between)\b)",
    r"^(?:so )?it (?:is|has been) (?:now |all |finally |officially )?(?:decided|settled|final|official|agreed|a done deal|going to be)\b",
    r"^(?:decided|agreed|settled|resolved|final decision|final answer|final choice|verdict|it is decided|all agreed|everyone agreed|team agreed|group agreed) ?(?::|,|-|-+|that\b|to\b|on\b|against\b|upon\b)",
    rf"^(?:then |so |ok |okay |just )?(?:am |are )?(?:going (?:with|for)(?! a (?:walk|run|ride)\b)|sticking (?:with|to)|switching to|settled on|opted for|opting for|went with|decided (?:to|on|against))\b",
    rf"^(?!(?:what|how|whatever|so|as|here|there|that|this|like|where|who|is|so|such) )(?:[\w'-]+ ){{1,6}}it is(?: then)?(?: [.!]|$)",
    rf"^(?:{_AGREE}[ ,]+){{0,3}}(?:then |let us do |let us |we take |i take |give me |i choose |i pick |i want |take |with |do )?(?:the|your|that) {_ORDINAL}(?: {_OPTION})?(?: (?:then|it is|please|wins|from the list|of the (?:two|three)|you (?:suggested|proposed|gave)|with .{{1,30}}))?(?: ?[.!,]|$)",
    rf"^(?:{_AGREE}[ ,]+){{0,3}}(?:then |let us do |let us |we take |i take |give me |i choose |i pick |i want |take |with |do )?(?:the )?{_NAMED_OPTION}(?: (?:then|it is|please|wins|sounds (?:good|right|best)))?(?= ?(?:[.!,] |[.!,]?$))",
    rf"{S}(?:booked|bought|ordered|rented|hired|signed|took|got|built|used|kept|named|called|made|chartered|hired) .{{1,70}}(?:\binstead|\bafter all|\bin the end)\b",
    rf"{S}(?:come|came) to (?:a|the|our|an) (?:decision|agreement|conclusion|consensus)\b",
    rf"{S}(?:choose|opt for|settle for|settle on|side with|vote for)\b(?! between)",
    rf"(?:that|which) settles (?:it|that)\b|^(?:that|so that) is (?:settled|decided)\b",
    r"^(?:we|i) (?:are|am) (?:all )?(?:agreed|settled|decided|set) (?:on|that|to)\b",
)

_SMALL_TALK = (
    r"(?:admit|say|bet|be (?:honest|damned|frank|blunt|fine|ok|okay|right|sad|glad|happy|dead|lost|rich|famous|screwed|the judge|sorry|surprised|brief|back|able|clear)|see\b|"
    r"have to (?:admit|think|say|see|ask|check)|pass\b|need\b|wait|assume|guess|go (?:mad|crazy|insane|nuts|bananas)|cry|die|scream|explode|lose my mind|think|"
    r"let you|show you|give you|tell you|paste|explain|start (?:by|with)|ask|rephrase|repeat|attach|copy|bite|play along|grant|buy that|take (?:a (?:look|break)|note|your word|that|it)|"
    r"regret|love|miss|like|hate|want|never (?:understand|get|know|forget|see|learn|find|be|remember|figure|manage|believe|recover|live|hear|forgive|guess)|"
    r"not (?:lie|bore|pretend|know|understand|get|see|believe|be able|say|deny|argue|complain|ask)|"
    r"probably|try that|try it|try this|test it|test that|give it a (?:try|shot|go)|get (?:it|there|back to that|used)|understand|know|keep (?:that|it|this|you|trying|looking|an eye)|look into (?:it|that)|"
    r"elaborate|put it|leave it|believe|trust|spare|add|be (?:the|so|very|really|too) (?:first|happy|glad|grateful|sad)|appreciate|eat my hat|send it as|type|end up|figure|survive|come back|do that|do it|do so|"
    r"feel|hear|notice|look (?:like|stupid|silly)|sound|wonder|hope|wish|remember|forget|manage|learn to live|live with)"
)
_EVENT_NOUN = (
    r"(?:(?:dentist|doctor|doctor's|dentist's|hospital|vet|hair|eye|job|driving|final|oral|first|second|team|status|phone|video|blood|medical|parents'|client|board|kick-off|kickoff|check-?up|follow-up|zoom|performance|"
    r"therapy|physio|visa|thesis|piano|work|big|important) )*"
    r"(?:appointment|meeting|call|exam|flight|interview|surgery|operation|session|lesson|class|presentation|talk|deadline|test|check-?up|booking|reservation|rehearsal|concert|gig|viewing|inspection|hearing|"
    r"wedding|trip|workshop|review|demo|defence|defense|recital|train|shift|date|race|conference|consultation|lecture|audition|party|dinner|scan|mri|vacation|holiday|move|handover|launch|release|delivery|"
    r"audit|due date|departure|start date|kick-?off|retro|offsite|performance|show|match|game|tournament|submission|defence date|closing date|cutoff|cut-off|contract|visa|lease|ferry|bus|webinar|seminar|standup|vernissage|exhibition|opening)s?"
)
_MINE = r"(?:(?:my|our|the|a|next|this|final|new|first|second|submission|paper|project|grant|tax|thesis|abstract|application|registration|final|[\w'.-]+) ){0,4}"
_THEIRS = r"(?!.{0,40}\b(?:i|we|you|he|she|they|bet|guess|maybe|if|says?|his|her|their|your|its|no|any|which|what|someone|somebody)\b)"
_SCHEDULED = r"(?:scheduled|due|booked|planned|slated|fixed|set|confirmed|arranged|pencilled in|on the calendar|in the calendar)"

COMMITMENT = (
    rf"{S}(?:promise(?:d)?(?! (?:anything|nothing|me|us|you nothing)\b)|pledged?|vow(?:ed)?|swear(?! (?:it|by|at|word)\b)(?: to| on|,| that i will| i will| we will| i| never| not| ?:)|guarantee(?:d)? (?:to|that (?:i|we)|you)|"
    rf"(?:commit|committed)(?: myself| ourselves)? to|undertake to|volunteered (?:to|for)|signed up (?:to|for)|give you my word|gave (?:my|him|her|them|\w+) (?:my )?word|take on the|took on the|agreed to (?:give|hold|write|host|deliver|help|speak|teach|review|cover))\b",
    rf"{S}(?:plan(?: to| on)|am planning|are planning|planning|intend|am intending|aim to|am aiming|mean to|am meaning|have (?:every )?(?:intention|plans) (?:of|to)|am set to|am determined to|are determined to|resolve to|"
    rf"am aiming to|am off to|are off to|am about to (?:move|start|leave|launch|sign)|am on track to|have set myself|have set (?:a|the) goal|am on (?:call|duty))\b",
    rf"{WILL}(?!{_SMALL_TALK})(?:not |never |no longer )?[a-z]",
    rf"{WILL}.{{0,80}}\b{FUTURE}",
    rf"{S}(?:told|promised|assured) (?:[\w'-]+ ){{1,3}}(?:that )?(?:i|we) (?:will|would) (?!have\b|be there if)",
    rf"{S}have (?:until|till|only) .{{0,20}}{FUTURE}",
    rf"^(?:the|my|our) (?:(?!train|bus|museum|sun|shop|store|film|movie|file)[\w'-]+ ){{1,3}}(?:come|comes|arrive|arrives|visit|visits|move in|moves in|start|starts|begin|begins|return|returns|is coming|are coming|is arriving|are arriving|is moving in) (?:over |back |to us |here )?{FUTURE}",
    rf"^(?:the|my|our) (?!birthday|name|address|timezone)(?:[\w'-]+ ){{1,4}}(?:is|are) (?:now |already )?(?:(?:on |at |next |this )?.{{0,12}}?{FUTURE})(?: (?:at|around|from) .{{1,20}})? ?[.!]?$",
    rf"^(?:leaving|flying|moving|meeting|visiting|starting|heading|travelling|traveling|seeing|launching|presenting|hosting|driving|getting married|picking up|having|taking|going to|running|giving a|sitting|handing in|submitting) .{{0,60}}{FUTURE}",
    rf"{S}(?:need to|have to|must|ought to|got to|am (?:due|supposed|expected|scheduled|booked|meant|obliged|required|set|bound)|are (?:due|supposed|expected|scheduled|booked|meant|obliged|required|set))(?: to)? .{{0,100}}\b{FUTURE}",
    rf"{S}(?:am|are) (?:due|scheduled|booked|registered|signed up|enrolled)(?: in)? (?:to|for|on|at)\b",
    rf"{AM}(?!(?:trying|looking|thinking|considering|wondering|hoping|leaning|getting|seeing (?:this|an?|errors)|stuck|going (?:crazy|mad|nuts)|asking|used|having (?:trouble|problems|issues)|based|located)\b)[a-z]+ing\b.{{0,100}}\b{FUTURE}",
    rf"{AM}(?:in|at|away|off|out|abroad|on (?:holiday|leave|vacation|call|duty)|back|busy|free|unavailable|travelling|traveling)\b.{{0,60}}\b(?:until|till|tomorrow|next|this (?:week|weekend)|from|on {WEEKDAY}|in {MONTH}|starting|between|over the)\b",
    rf"{S}(?:fly|leave|travel|start|begin|move|return|arrive|depart|present|graduate|defend|launch|ship|release|go live|go on|meet|see|host|run|sign|close|open|pick up|give|speak|turn|have(?! (?:\w+ed|\w+en|been|had|lived|got|to|it|this)\b)|have got|get|perform|compete|sit|take|deliver|hand in|submit|publish|marry|finish|join|play|go) .{{0,80}}?(?:{FUTURE})(?!s\b)",
    rf"{S}(?:have|have got|got) (?:a|an|my|our|the|another|two|three) {_EVENT_NOUN}\b.{{0,60}}\b(?:{FUTURE}|at {CLOCK})",
    rf"^{_THEIRS}{_MINE}(?:deadline|due date|cut-?off|closing date)(?: (?:for|of|to) .{{1,50}}?)? ?(?:is|are|:|=|has (?:moved|been moved|been extended|changed)|moved|got moved|shifted|was (?:moved|extended|pushed|postponed)|falls)(?: not| up| back| to| now| set| still| on)* (?!unclear|unknown|missing|over|gone|past|wrong|not|in the|a\b|an\b|what|which|when|tight|insane|crazy|was|met).{{0,40}}",
    rf"^{_THEIRS}{_MINE}{_EVENT_NOUN}(?: (?:with|for|at|in|of|to) .{{1,40}}?)? (?:is|are|starts|begins|leaves|departs|takes place|got moved|has been moved|was moved|will be|happens|runs|ends|expires)(?: now| already)?(?: {_SCHEDULED})?(?: for| on| to)? ?.{{0,20}}?{FUTURE}",
    rf"^{_THEIRS}(?:[\w'.#/-]+ ){{1,8}}?(?:is|are|has been|have been|got) (?:now |already |all )?{_SCHEDULED} (?:for|on|by|at|in|to|until|tomorrow|next|this|{WEEKDAY}|{MONTH}|the \d)",
    rf"^(?:my|our|the|v\d[\w.]*|version|release|[a-z]+ \d[\w.]*)(?: [\w'.-]+){{0,3}}? (?:ships|launches|goes live|goes out|is going live|is out|expires|ends|closes|leaves|departs|lands|opens|starts|begins|premieres|releases) .{{0,30}}?(?:{FUTURE})",
    r"^(?:my|our) (?:\w+ )?(?:plan|goal|aim|intention|resolution|target|objective|mission)(?: (?:for|this|is) .{1,30}?)? (?:is|:) ?(?:to|that|not to)?\b(?! (?:unclear|missing|not|too|what|wrong))",
    r"(?:you will (?:get|have|receive|hear|find)|expect|you can expect|you get) .{1,80}(?:from me|from us|by (?:me|us)|in your inbox)",
    r"\b(?:count me in|count on (?:me|us)|you have (?:my|our) word|consider it done|my word on it|cross my heart|on my word)\b",
    rf"{S}owe .{{1,60}}(?:by|before|until|on|this|next|tomorrow)\b",
    rf"(?:it is|that is) on (?:me|us) to\b",
    rf"^(?:will|gonna|going to|planning (?:to|on)|plan to|need to|have to|must|off to|due|got to|am going to) (?!i |we |you |he |she |it |they |the |be (?:honest|fine)).{{2,80}}\b{FUTURE}",
    r"^planning (?:to|on)\b|^(?:gonna|going to) [a-z]+ ",
    rf"^(?:deadline|due|due date|appointment|exam|flight|departure|wedding|surgery|submission) ?(?::|is|on|by|-)? ?.{{0,12}}{FUTURE}",
    rf"^{_MINE}(?:\w+ )?(?:must|has to|have to|needs? to) be (?:done|finished|ready|submitted|handed in|delivered|sent|signed|paid|in|out|complete[d]?|shipped|live|filed) .{{0,30}}{FUTURE}",
    rf"^(?:\w+ ){{0,3}}(?:and i|and me) .{{0,20}}(?:are|will) .{{0,60}}{FUTURE}",
)

_NOT_LIKE = r"(?:do not|can not|could not|never)"
PREFERENCE = (
    rf"{S}(?:do |never |have (?:never|always) )?(?:not )?(?!like (?:,|to mention)){LIKING}d?(?! (?:{_REACTION}|{_APOLOGY}|[a-z]+ with you\b))(?= )",
    rf"{S}(?:do not |never |have never )(?:really |particularly |actually |much |quite |even |also |usually |generally |normally |like to )*(?:like|love|enjoy|care (?:for|about|much)|prefer|mind|want any|do (?:well|mornings|small talk|meetings|surprises|social media|phone calls)|trust|believe in|see the appeal|get on with)\b(?! (?:{_REACTION}))",
    rf"{S}prefer (?:that )?(?:you|we|people|it if|when)\b",
    rf"{S}(?:hate|love|like|dislike|appreciate|enjoy|can not stand|prefer) it (?:when|if|that)\b",
    rf"{S}(?:can not|can never|could never|could not) (?:really |ever )?(?:stand|bear|abide|tolerate|stomach|do without|live without|work without|work with(?! this)|deal with|get enough of|concentrate|focus|resist|care less)\b(?! (?:this|that|it|him|her|the fact))",
    rf"{S}would (?:much |always |far )?rather(?! not say)(?! (?:have|see|get) (?:it|that|this)\b)",
    rf"{S}would (?:always|generally|usually|much|far|in general) prefer",
    rf"{AM}(?:not )?(?:really |that |very |so |too |such |exactly )*(?:a |an |the )?(?:(?:big|huge|great|massive|real|total|complete|longtime|lifelong|die-hard|much of a|no|no great|such a|firm|strong|true) )*(?:fan|lover|believer|sucker|advocate|friend|devotee|supporter|stickler|connoisseur|proponent|enthusiast) (?:of|in|for)\b(?! (?:this|that|it|your)\b)",
    rf"{AM}(?:not )?(?:really |that |very |so |too |all that |more )*(?:into|keen on|fond of|partial to|crazy about|mad about|obsessed with|used to|accustomed to|addicted to|picky about|averse to|particular about|big on|happiest (?:when|with|in)|most productive|at my best|wary of|"
    rf"allergic to (?:meetings|buzzwords|jargon|emojis|small talk|marketing)|comfortable with|enthusiastic about|a huge sucker|passionate about|strict about|religious about|more comfortable|sceptical of|skeptical of)\b(?! (?:it|this|that|your)\b)",
    rf"{AM}(?:not )?(?:much |more |really |such |definitely |totally )*(?:of )?(?:a |an )(?:[\w-]+ ){{1,3}}(?:person|guy|girl|type|people|kind of person)\b|{AM}(?:a night owl|an early bird|an early riser|a creature of habit|a minimalist|a purist|a perfectionist)",
    rf"{S}(?:(?:always|never|usually|normally|generally|typically|often|rarely|seldom|hardly ever|almost never|almost always|nearly always|mostly|mainly|ordinarily|as a rule|by default|exclusively|regularly|frequently|hardly|sometimes|routinely|invariably|religiously|only ever|for the most part) ){{1,2}}(?:like to |try to |have to )?(?!{_ERRORS})[a-z]",
    rf"{S}(?:always|usually|normally|generally|typically|often|rarely|mostly) {_GET_HABIT}",
    rf"{S}only (?:ever )?(?!have\b|need\b|want\b|know\b|get\b|see\b|found\b|got\b|had\b|use this once){HABIT_VERB} (?!this\b|that\b|it\b)",
    rf"{S}(?:tend (?:to|not to)|refuse to|avoid|try to avoid|try not to|swear by|make (?:it )?a (?:point|habit)|insist on|gravitate|steer clear|stay away from|shy away|live by|abstain|"
    rf"(?:work|think|learn|function|sleep|focus|write|concentrate|do) (?:my )?best|have a (?:soft spot|weakness|thing|habit|rule|strong preference|preference|sweet tooth|strict|routine|policy|aversion|low tolerance|strong dislike|love for)|have (?:a )?(?:no|little|zero) (?:patience|tolerance|time|love|interest) (?:for|in)|"
    rf"(?:take|drink|like|have|eat|want) my (?:\w+ )?(?:coffee|tea|eggs|steak|toast|meetings|mornings|news|notes|code|answers|replies|whisky|pizza|pasta|noodles|rice|water|showers) |favou?r\b|lean towards|root for|thrive|can live without|feel most|stick to|default to|go out of my way)\b",
    rf"{S}(?:do not |never )(?:ever |really |usually |generally |normally |typically |do )?{HABIT_VERB}(?! (?:this|that|it|how|why|what|the (?:button|option|menu|setting|error|file|problem|point))\b)(?! any\b)(?! (?:to|a clue|time|idea|enough|the)\b)(?= [a-z])",
    rf"{S}{HABIT_VERB} (?!(?:this|that|an? error|these|the same)\b).{{0,80}}\b{HABITUAL}",
    rf"{HABITUAL} (?:, )?{S}(?!(?:get|see|have to|am|was|will|would|need|feel)\b)[a-z]+",
    r"^(?:.{0,30} )?my (?:(?:absolute|all-time|personal|least|strong|general|usual|default|own) ){0,2}(?:favourites?|preferred|go-to|preference|pet peeve|comfort|ideal|guilty pleasure|weakness|usual (?:\w+ ){1,2}|default (?:\w+ ){1,2}|routine|rule|habit|style|policy)(?: [\w'-]+){0,4}? ?(?:is|are|:|=|remains)\b(?! (?:missing|not|broken|gone|wrong)\b)",
    r"^my (?:[\w'-]+ )?(?:\w+ )of choice (?:is|are)\b",
    r"(?:is|are) (?:(?:still|by far|definitely|also|easily|always|simply|just) )*(?:not )?(?:really |quite |exactly )*(?:my (?:thing|favourites?|jam|style|cup of tea|preference|go-to|kind of|idea of fun|least favourite)|not for me|more my|a must for me|the best for me|a no-go for me|a turn-off for me)\b",
    r"\b(?:drives?|makes?) me (?:crazy|nuts|mad|up the wall|sick|cringe|happy every|itch)\b|\b(?:gets?|grates?) on my nerves\b|\bbores? me\b|\b(?:does|do) (?:not|nothing) (?:do it )?for me\b|\bannoys? me\b(?! (?:that|how))|\bgives? me (?:a headache|the creeps|joy)\b|\bput me off\b|\bany day of the week\b|\bany day over\b",
    rf"^(?:please )?(?:always|never|do not ever|only ever|under no circumstances|by default) {IMPERATIVE}\b(?! mind)",
    rf"^(?:please )?(?:do not |only )?{IMPERATIVE}\b.{{0,120}}\b(?:from now on|from here on|going forward|in (?:the )?future|henceforth|by default|whenever|every time|any time|each time|always(?= ?[.!]?$)|ever again|at all times(?= ?[.!]?$)|for me in general|in all (?:your|my|of)|in (?:every|any) (?:answer|reply|response)|with me|as a rule|when(?:ever)? (?:you|answering|replying|writing|talking|i ask)|in your (?:answers|replies|responses)|in (?:answers|replies) to me|to me)(?! (?:what|how|why|when|the|about|if)\b)(?:\b|$)",
    r"^(?:please )?(?:from now on|from here on|from today|going forward|in (?:the )?future|henceforth|as a rule|by default|whenever (?:i|you)|every time (?:i|you)|any time (?:i|you)|each time (?:i|you)|when (?:you (?:answer|reply|write|code|talk)|answering|replying|writing to me|talking to me|i ask)|for (?:all )?(?:my|future|code|any)|in (?:all|every) (?:my|your|future|answers?|repl))\b.{0,40}?(?:, |please |always |never |do not |only |i want |i need |i would like |i prefer |use |keep |answer |reply |write |give |call |address |speak |no |add |avoid |skip )",
    r"^(?:please )?keep (?:your |all |all your |the )?(?:answers|replies|responses|explanations|messages|summaries|things)\b.{0,60}",
    rf"{S}(?:want|need|expect|would like|like) (?:you to always|you to never|you always|all (?:my|your|the)|your (?:answers|replies|responses)|my (?:answers|replies|summaries|code|notes)|every (?:answer|reply))\b",
    r"\bin (?:every|all|any|each)(?: of)?(?: your| future| my)* (?:answers?|replies|reply|responses?|messages?|summar(?:y|ies))\b",
    r"^(?:please )?stop (?:calling|using|adding|giving|writing|putting|starting|ending|apologi[sz]ing|sending|summari[sz]ing|explaining|asking|saying|repeating|suggesting)\b",
    rf"{S}find (?!it\b|this\b|that\b|the (?:file|page|option|button|setting|error)).{{1,60}} (?:exhausting|boring|annoying|relaxing|tiring|tedious|soothing|calming|distracting|ugly|beautiful|delicious|disgusting|unbearable|overrated|stressful|irritating|charming|"
    r"pretentious|comforting|creepy|cringe|childish|patronising|easier to (?:read|follow)|hard to (?:read|follow|stand)|more (?:readable|useful|pleasant|natural)|unreadable|too (?:sweet|salty|loud|spicy|noisy|long|busy))\b",
    r"^(?:nothing (?:beats|like|better than|worse than)|there is nothing (?:better|worse|i (?:like|love|hate|enjoy)))\b",
    r"^(?:[\w-]+ ){1,3}over (?:[\w-]+ ?){1,3}(?:, )?(?:always|any day|every time|any time|for me)\b",
    r"^(?:for|to) me (?:, )?(?:it|that|a|the) .{0,30}?(?:always|usually|has to be|must be|never)\b|(?:is|are) when i (?:work|think|get|am|write|code|feel|focus)\b",
    rf"{S}use (?!this\b|that\b|it\b).{{1,60}}(?:everywhere|for everything|for all (?:my|of)|exclusively|as my (?:main|daily|default|only|primary))\b",
    rf"{S}(?:sleep|wake up|get up|go to bed|do (?:most|all|much) of my) .{{2,60}}",
    r"^no (?:\w+ ){1,3}(?:for me|with me|in (?:answers|replies|your answers|your replies|my \w+)|please,? (?:ever|never)|ever)\b",
    rf"{S}(?:want|like|need) .{{0,60}}(?:, always|, every time|always$|in general|at all times)",
    r"^(?:prefer|love|hate|enjoy|adore|detest|dislike|loathe|can not stand|do not like|never|always|usually|mostly) (?!(?:it|this|that|these|those|your|you|to (?:hear|see|bother)|how|mind|the|again|been|been|seen|heard|thought|knew|gonna|going|had|got|a )\b)(?!" + _ERRORS + r")[a-z]+ ",
    rf"{S}(?:have )(?:always|never) (?:liked|loved|hated|preferred|enjoyed|disliked|used|trusted|cared|been (?:a|an|into|fond|keen|one)|worked|written|eaten|drunk|wanted to)\b",
)

_WHO = r"(?:just |now |still |also |both |all |a |an |the |only )*"
_NO_ROLE = (
    r"(?:(?:little|bit|tad|lot|fan|huge|big|great|massive|mess|idiot|fool|few|touch|total|complete|moron|wreck|sucker|dummy|noob|genius|failure|night|early|creature|perfectionist|minimalist|purist|"
    r"\w+ person|\w+ believer|believer|hostage|bot|cat today|zombie|ghost|disaster|firm|step|day late|week behind|couple|while|hair|long way|loss|standstill|crossroads|sec|minute|no show|lost|goner|burden|error|bug|message|problem|user\b.{{0,10}}see)\b|[^.]{0,30}\b(?:fan|lover|believer|person|guy|type|sucker) (?:of|in|for|who|at)?)"
)
_MORE_THAN_A_MOMENT = (
    r"(?:(?:years?|months|decades?|weeks)\b|since (?:19|20)\d\d|since (?:childhood|birth|i was|i am|school|college|university|my|the (?:age|pandemic|nineties|eighties)|"
    + MONTH
    + r"|last (?:year|summer|winter|spring|autumn|fall))|all my life|my whole life|for ages now|most of my life)"
)
FACT = (
    rf"\b(?:my|our) (?:(?:full|first|last|real|legal|given|family|middle|pen|stage|maiden|user|chinese|english|wife's|husband's|partner's|son's|daughter's|dog's|cat's|mother's|father's|boss's|manager's|company's|team's|boat's|brother's|sister's|baby's|kid's) )*(?:sur|nick|user)?name (?:is|:)(?! {UPSET}\b)",
    rf"{S}(?:(?:am|are) (?:called|named|known as)|go by|am (?:mr|mrs|ms|dr|professor)\b|answer to)\b",
    r"^(?:please )?(?:just )?(?:you can |you may |feel free to )?call me (?!back\b|later\b|when\b|on\b|at\b|if\b|a\b|an\b|old|crazy|after|before|tomorrow|paranoid|by\b|names|lazy)[^\W\d_]+|^(?:everyone|everybody|people|friends|my friends) calls? me\b",
    rf"{S}(?:(?:am|are) )?(?:currently |originally |still |temporarily )*(?:live|living|reside|residing|based|located|settled|housed|come from|from(?! (?:time|now|the (?:start|beginning))\b)|hail from|grew up|was born|were born|was raised|native to|born(?: and raised)?|stationed|domiciled)\b(?! (?:in fear|for|with this|off|up to|without|on (?:coffee|pizza))\b)",
    rf"{S}(?:have )?(?:just |recently )?(?:moved|relocated|emigrated|immigrated) (?:back |out |over |here |away )?(?:to|from|into|in with|here)\b(?! (?:the (?:next|folder|file|trash|bin|other|new (?:folder|file))))",
    rf"{AM}(?:in|on) (?:utc|gmt|cet|est|pst|cest|edt|pdt|ist|jst|the (?:utc|gmt|cet|eastern|pacific|central) ?(?:zone|timezone|time)?)\b",
    rf"{S}(?:(?:am|are) )?(?:mostly |mainly |also |currently |still |usually )*(?:work|working|employed|freelance|freelancing|intern|interning|volunteer|volunteering)(?: (?:part-time|full-time|mostly|remotely|mainly|shifts|night shifts|nights|freelance|partly|half-time|\d+ ?%|currently))*(?: (?:at|for|in(?! (?:progress|vain))|as|with (?:children|kids|animals|people|refugees|wood|patients)|from|by|part|out of|night|shifts|remotely|full-time|part-time|freelance)\b|$)",
    rf"{S}(?:(?:am|are) )?(?:also |currently )?(?:study|studying|teach|teaching|lecture|lecturing|major|majoring|practise|practice|specialise|specialize|coach|coaching|tutor|lead|leading|head|heading|chair|supervise|manage|managing|maintain|co-run|co-own|own|moderate|consult|direct|edit|translate|repair|restore|breed|keep|raise|raising|organise|organize)\b(?! (?:this|that|it|to|up|you|off|out|track|in mind|getting|seeing|going|the (?:error|file|issue)|on top|calm)\b)(?= [a-z\d])",
    rf"{S}(?:(?:am|are) )?(?:run|running) (?:a|an|my|our|the (?:local|family|\w+ (?:club|choir|team|department|group|archive|lab|shop)))\b(?! (?:\w+ )?(?:script|test|tests|query|command|scan|server|marathon|half|race|model|job|container|linter|build|fever|risk))",
    rf"{S}do (?:[\w-]+ ){{1,3}}(?:at|for a living|for work|as a)\b|{S}(?:earn|make) (?:my|a) living\b|{S}(?:serve|am serving) (?:as|in|on)\b",
    rf"{AM}(?:in charge of|responsible for|employed|self-employed|the only|head of|one of (?:the|two|three|four|five)|part of(?! the problem)|on the (?:board|committee|council|team)|(?:co-?)?founder|an? member)\b(?! one (?:who|with|seeing))",
    rf"{AM}{_WHO}(?:not )?(?:an? |the |our |their )(?!{_NO_ROLE})[a-z]",
    rf"{AM}{ROLE}\b",
    rf"{AM}(?:(?:completely|partially|partly|severely|slightly|(?:\w+|\d+) (?:weeks|months|years)|happily|newly|recently|half|red-green|red|very|mildly|legally|strictly) )*{STATE}\b",
    rf"{AM}\d{{1,3}}(?: (?:years?|yrs?|yo|y/o|and|now|next|,|.)|$)(?! ?%)|{AM}(?:in my|almost|nearly|about to turn|over|under) (?:early |late |mid )?(?:\d\d|twent|thirt|fort|fift|sixt|sevent)\w*\b(?! (?:%|minutes|pages|percent))|{AM}\d(?:\.|,)?\d* ?(?:m|cm|kg|feet|ft) |{AM}\d{{2,3}} ?(?:cm|kg)\b|{S}(?:have )?(?:just )?turned \d\d",
    rf"\b(?:my|our) (?:\w+ )?{KIN}(?: [\w-]+)? (?:is|are) (?!{UPSET}\b)(?:(?:also|now|just|only|already|severely) )*(?:an? |the |\d|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b|eleven\b|twelve\b|thirteen\b|fourteen\b|fifteen\b|sixteen\b|called|named|from|{STATE}|in (?:first|second|third|fourth|\w+ grade)|my|our|studying|at (?:school|university|college)|working|living|expecting)",
    rf"\b(?:my|our) (?:\w+ )?{KIN}(?: [\w-]+)? (?:has|have|lives?|works?|speaks?|studies|teaches|plays|turned|goes to|go to|runs|owns|and i (?:live|have|are|am|work|run|own|met|moved))\b(?! (?:to\b|no idea|been asking|asked|told))",
    rf"^(?:.{{0,30}}[ ,])?(?:my|our) (?:(?:current|new|home|main|work|daily|official|local|private|other|old|only) )*{ATTRIBUTE}(?: (?:at work|at home|here|there|right now))? (?:is|are|:|=|has|runs)(?! (?:{UPSET}|the (?:problem|issue|question)|what|why|how|where|in (?:the|there))\b)",
    r"^as an? (?!result|rule|consequence|kid|child|student|matter|side|first|last|next|test|workaround|reminder|joke|whole|user|quick|follow|bonus|teen|boy|girl|baby|team|general|default|backup|start|fan|favour|fallback|gift|treat)(?:[\w'-]+ ){1,4}(?:, )?(?:i|we) (?!was|were|had|did|used|would|wish|want|think)[a-z]",
    rf"{S}(?:sing|dance|act|row|volunteer|serve|perform|compete|referee) (?:in|with|at|for|on)\b",
    rf"{S}(?:have|have got|own|hold|possess|got|co-own|adopted|have adopted|share)(?: got)? (?:(?:a|an|one|two|three|four|five|six|seven|\d+|my|our|my own|our own|some|no|only|several|identical|twin|severe|mild|chronic|type) ){{0,3}}(?:(?!question|problem|issue|idea)[\w-]+ ){{0,3}}?{BELONGING}\b(?! (?:problem|issue|question|error|tag|emoji|icon|crash))",
    rf"{S}(?:own|drive|ride|wear|use a (?:wheelchair|cane|walker|hearing aid)|use (?:hearing aids|crutches|insulin|screen readers?|a screen reader)|suffer from|live with (?:my|a|two|three|chronic|\w+ (?:disease|disorder|pain|flatmates|roommates))|take (?:medication|insulin|antidepressants|blood thinners)|was diagnosed with|have been diagnosed with|have trouble (?:hearing|seeing))\b(?! (?:this|that|it|me|home|to)\b)",
    rf"{S}(?:can (?:also )?)?(?:speak|am fluent in|am conversational in|understand spoken|read and write|know (?:some|basic|enough|a (?:bit|little)(?: of)?|how to (?:code|weld|sew|knit|swim|sail|program|solder|drive)))\b(?! (?:to|with|about|up|for|at)\b)",
    rf"{S}(?:can )?play (?:the |in an? |first |second |lead |bass |drums|chess|football|guitar|piano|violin|cello|goalkeeper|on a )",
    rf"{S}(?:have )(?:been|worked|lived|studied|taught|played|used|had|owned|known|run|served|coached|managed|done|sung|programmed|coded|practised|kept|led|written|rented|driven|spoken|volunteered)\b(?! (?:trying|struggling|looking for|fighting|staring|wrestling|stuck|debugging|waiting|asking|meaning|wanting|told|getting|thinking|hoping|banging|wondering|searching|scratching|seeing this|having (?:trouble|issues|problems|this))\b).{{0,80}}\b{_MORE_THAN_A_MOMENT}",
    rf"{S}have (?:over |about |almost |more than |nearly )?(?:\d+|two|three|four|five|six|seven|eight|ten|twelve|fifteen|twenty|many|several) (?:years|months) (?:of )?(?:experience|behind|in|under|left|as|with)",
    rf"{AM}(?:learning|studying|training (?:to|for|as)|raising|doing (?:my|a|an) (?:phd|master|master's|bachelor|apprenticeship|degree|internship|residency|doctorate)|writing (?:my|a) (?:thesis|phd|dissertation|novel)|a? ?mother of|recovering from|going through (?:a divorce|chemo|menopause)|undergoing)\b(?! (?:a lot|that|this|how much)\b)",
    rf"{S}(?:have )?(?:(?:just|recently|finally|also) )*(?:joined|became|become|got (?:married|divorced|promoted|engaged|hired|laid off|a (?:new )?(?:job|dog|cat|puppy|promotion))|started (?:(?:a|my) new job|working|at|as)|(?:was|been) (?:promoted|diagnosed|hired|elected|appointed|laid off|fired)|graduated|inherited|had a baby|retired|bought (?:a|an|our|my) (?:house|flat|car|apartment|boat|farm|piano|van)|been with)\b",
    rf"^(?:it is|it has been) (?:\w+ ){{1,4}}years since i\b",
    r"^(?:i|we) (?:wear|weigh|stand) .{0,20}(?:\d|glasses|contacts|hearing|size)",
    rf"{AM}(?:about |around )?\d[\d.,]* ?(?:m|cm|kg|feet|foot|ft|pounds)\b",
    r"^(?:name|role|job|location|timezone|time zone|age|birthday|pronouns|based in) ?: ?.{2,60}$",
)

_GONE = (
    rf"{S}(?:am |are |do |does |can |have )?(?:no longer|not .{{0,60}}?\b(?:any more|any longer)|never .{{0,40}}any more)\b",
    rf"\b(?:my|our) .{{0,40}}\b(?:no longer|not .{{0,40}}\bany (?:more|longer))\b",
    rf"\b(?:is|are) (?:no longer|not) (?:my|our) .{{0,30}}(?:any more|any longer)?(?<=more)\b|\bis no longer (?:my|our)\b",
    rf"{S}(?:have )?(?:(?:just|recently|finally) )*(?:quit (?:my|the|our|smoking|drinking)|left (?:my (?:job|post|position|husband|wife)|the (?:company|firm|team|band|church|party|board|city|country|choir|job)|(?:[\w'-]+ ){{1,3}}(?:last (?:year|month|week|spring|summer|autumn|winter)|in (?:{MONTH}|20\d\d|spring|summer|autumn|winter)|after \w+ years|for good))|stopped [a-z]+ing (?!this|that|the)|gave up (?:smoking|drinking|meat|my|alcohol|sugar|the)|"
    rf"given up (?:smoking|drinking|meat|my|alcohol)|moved (?:out of|away from)|broke up|broken up|split up|separated|sold (?:my|our|the) (?:car|house|boat|flat|apartment|bike|company|shop|farm|van|motorbike|piano|camper)|closed (?:my|our|the) (?:shop|company|business|studio|bakery|practice)|"
    rf"resigned(?: from)?|stepped down|cancelled my membership|dropped out)\b",
    rf"{AM}(?:done|finished) (?:working|teaching|with (?:my job|school|university|the company))\b",
)
FACT_GONE = _GONE

_KINDS: tuple[tuple[EventKind, tuple[str, ...]], ...] = (
    ("decision", DECISION),
    ("commitment", COMMITMENT),
    ("preference", PREFERENCE),
    ("fact", FACT),
)


class Rules(NamedTuple):
    """All rules, compiled: per kind, and those for what has stopped holding."""

    kinds: tuple[tuple[EventKind, tuple[re.Pattern[str], ...]], ...]
    gone: tuple[re.Pattern[str], ...]


def compiled() -> Rules:
    """Returns the rules; compiling takes some tens of milliseconds, so a caller keeps the result."""
    kinds = tuple((kind, tuple(_compile(rules))) for kind, rules in _KINDS)
    return Rules(kinds, tuple(_compile(_GONE)))


def _compile(rules: tuple[str, ...]) -> Iterator[re.Pattern[str]]:
    for rule in rules:
        # a subject is a word of its own, never the end of another
        yield re.compile(rule if rule.startswith(("^", r"\b")) else rf"(?<![\w'-])(?:{rule})")
