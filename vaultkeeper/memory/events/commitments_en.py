"""English rules: what the user will do, has promised or plans, and when something of theirs is due."""

from __future__ import annotations

from vaultkeeper.memory.events.lexicon_en import ADVERBS, CLOCK, FUTURE, IRREGULAR_PAST, MONTH, WEEKDAY
from vaultkeeper.memory.events.rules_en import Rules

_SMALL_TALK = (
    rf"{ADVERBS}(?:of course|admit|say|bet|be (?:honest|damned|frank|blunt|fine|ok|okay|right|sad|glad|happy|dead|"
    rf"lost|"
    r"rich|famous|screwed|the judge|sorry|surprised|brief|back|able|clear|there for|the|so|very|really|too|"
    r"fun|"
    r"great|awesome|amazing|interesting)|see\b|have (?:the|a) |have to (?:admit|think|say|see|ask|check|"
    r"try)|pass\b|need\b|"
    r"wait|assume|guess|go (?:mad|crazy|insane|nuts|bananas)|cry|die|scream|explode|lose my mind|think|"
    r"let (?:you|him|her|them)|show you|give you|tell you|paste|explain|start (?:by|with)|ask|rephrase|"
    r"repeat|attach|copy|bite|play along|grant|buy that|take (?:a (?:look|break)|note|your|that|it|one|any)|"
    r"regret|love|miss|like|hate|want|always|just|(?:never|not) (?:understand|get|know|forget|see|learn|"
    r"find|be|remember|"
    r"figure|manage|believe|recover|live|hear|forgive|guess|lie|bore|pretend|say|deny|argue|complain|ask|"
    r"stress|worry|mind|hurt|bite|help|tell|even|work)|probably|try (?:that|it|this|to remember|my best)|"
    r"test (?:it|that)|"
    r"give (?:it|that|this) a |get (?:it|there|back to that|used|through|over)|understand|know|keep\b|"
    r"look (?:into|at|for|it|like|stupid|silly)|elaborate|put it|leave it|believe|trust|spare|add|appreciate|"
    r"eat my hat|send it as|type|end up|figure|survive|come back|do (?:that|it|so|my best|this)|feel|hear|"
    r"notice|sound|"
    r"wonder|hope|wish|remember|forget|manage|learn to live|live with|check (?:it|that|this|them|out)|"
    r"make (?:a|the|some|it) |stay\b|enjoy|cheer|find|root for|support|settle|win|definitely|go (?:back|on|"
    r"ahead|from there)|"
    r"stand by|continue|rest|relax|google|mention|point out|note|refer|assist|pray|stick (?:up|around|to))"
)

_EVENT_NOUN = (
    r"(?:(?:dentist|doctor|doctor's|dentist's|hospital|vet|hair|eye|job|driving|final|oral|first|second|team|"
    r"status|phone|video|blood|medical|parents'|client|board|kick-off|kickoff|check-?up|follow-up|zoom|"
    r"performance|therapy|physio|visa|thesis|piano|work|big|important) )*(?:appointment|meeting|call|exam|"
    r"flight|interview|surgery|operation|session|lesson|class|presentation|talk|deadline|test|check-?up|"
    r"booking|reservation|rehearsal|concert|gig|viewing|inspection|hearing|wedding|trip|workshop|review|demo|"
    r"defence|defense|recital|train|shift|date|race|conference|consultation|lecture|audition|party|dinner|"
    r"scan|mri|vacation|holiday|move|handover|launch|release|delivery|audit|due date|departure|start date|"
    r"kick-?off|retro|offsite|performance|show|match|game|tournament|submission|defence date|closing date|"
    r"cutoff|cut-off|contract|visa|lease|ferry|bus|webinar|seminar|standup|vernissage|exhibition|opening)s?"
)

_MINE = (
    r"(?:(?:my|our|the|a|next|this|final|new|first|second|submission|paper|project|grant|tax|thesis|abstract|"
    r"application|registration|final|[\w'.-]+) ){0,4}"
)

_THEIRS = (
    r"(?!.{0,40}\b(?:i|we|you|he|she|they|bet|guess|maybe|if|says?|his|her|their|your|its|no|any|which|what|"
    r"someone|somebody)\b)"
)

_SOON = (
    rf"(?:tomorrow|tonight|next (?:week|month|{WEEKDAY}|weekend)|on (?:{WEEKDAY}(?! ?s\b)|the \d{{1,2}}(?:st|nd|rd|"
    rf"th)?\b|\d{{1,2}} "
    rf"{MONTH}|{MONTH} \d)|this (?:weekend|afternoon|evening|{WEEKDAY})|first thing in the morning|by (?:{WEEKDAY}|"
    rf"noon|"
    rf"tonight|tomorrow))"
)
"""A time that a verb in the present can only mean as the future."""

_NO_PLAN = (
    rf"(?:(?:{'|'.join(sorted(IRREGULAR_PAST))}|am|is|are|do|did|can|could|would|should|might|may|will|shall|know|"
    rf"think|see|want|"
    r"like|love|hate|feel|remember|hear|hope|wish|wonder|guess|suppose|mean|need|never|always|usually|often|read|"
    r"put|set|hit|"
    r"cut|prefer|enjoy|believe|forget|just|not|heard|understand|expect|also|really|bet|work|sleep|swear|suspect)\b|"
    r"[a-z]+ed\b|\w+ ?,)"
)

_SCHEDULED = (
    r"(?:scheduled|due|booked|planned|slated|fixed|set|confirmed|arranged|pencilled in|on the calendar|"
    r"in the calendar)"
)

COMMITMENT = Rules(
    after_subject=(
        r"(?:promise(?:d)?(?= [a-z'\d])(?! (?:anything|nothing|me|us|you (?:nothing|this|that|it|the|there)|this|"
        r"that (?:it|this|the))\b)|pledged?|vow(?:ed)?|"
        r"swear(?! (?:it|by|"
        r"at|word)\b)(?: to| on|,| that i will| i will| we will| i| never| not| ?:)|guarantee(?:d)? (?:to|"
        r"that (?:i|we)|you)|(?:commit|committed)(?: myself| ourselves)? to|undertake to|volunteered (?:to|"
        r"for)|signed up (?:to|for)|give you my word|gave (?:my|him|her|them|\w+) (?:my )?word|take on the|"
        r"took on the|agreed to (?:give|hold|write|host|deliver|help|speak|teach|review|cover))\b",
        r"(?:plan(?: to| on(?! (?:nothing|this|that|it)\b))|am planning|are planning|planning|intend|am intending|"
        r"aim to|am aiming|mean to|"
        r"am meaning|have (?:every )?(?:intention|plans) (?:of|to)|am set to|am determined to|"
        r"are determined to|resolve to|am aiming to|am off to|are off to|am about to (?:move|start|leave|"
        r"launch|sign)|am on track to|have set myself|have set (?:a|the) goal|am on (?:call|duty))\b",
        r"(?:am|are) (?:never|not) (?:ever )?going to [a-z]+ .{0,80}(?:again|any ?more|promise|ever)\b",
        r"said (?:that )?(?:i|we) (?:would|will) (?!(?:not|never|like|love|rather|have|be (?:honest|lying))\b)[a-z]+",
        rf"(?:have )?(?:booked|reserved|scheduled|arranged|registered) .{{1,60}}?\b{FUTURE}",
        r"(?:told|promised|assured) (?:[\w'-]+ ){1,3}(?:that )?(?:i|we) (?:will|would) (?!have\b|be there "
        r"if)",
        rf"have (?:until|till|only) .{{0,20}}{FUTURE}",
        r"(?:need to|have to|must|ought to|got to|am (?:due|supposed|expected|scheduled|booked|meant|"
        r"obliged|"
        rf"required|set|bound)|are (?:due|supposed|expected|scheduled|booked|meant|obliged|required|"
        rf"set))(?: to)? .{{0,100}}\b{FUTURE}",
        r"(?:am|are) (?:due|scheduled|booked|registered|signed up|enrolled)(?: in)? (?:to|for|on|at)\b",
        rf"(?:fly|leave|travel|start|begin|move|return|arrive|depart|present|graduate|defend|launch|ship|"
        rf"release|go live|go on|meet|see|host|run|sign|close|open|pick up|give|speak|turn|have(?! (?:\w+ed|"
        rf"\w+en|been|had|lived|got|to|it|this)\b)|have got|get|perform|compete|sit|take|deliver|hand in|"
        rf"submit|publish|marry|finish|join|play|go) .{{0,80}}?(?:{FUTURE})(?!s\b)",
        rf"(?!{_NO_PLAN})[a-z]+ .{{0,60}}?\b{_SOON}",
        rf"(?:have|have got|got) (?:a|an|my|our|the|another|two|three) {_EVENT_NOUN}\b.{{0,60}}\b(?:{FUTURE}|"
        rf"at {CLOCK})",
        r"owe .{1,60}(?:by|before|until|on|this|next|tomorrow)\b",
    ),
    after_am=(
        rf"(?!(?:trying|looking|thinking|considering|wondering|hoping|leaning|getting(?! (?:my|our|married|the "
        rf"(?:keys|cast|results|vaccine))\b)|seeing (?:this|an?|"
        rf"errors)|stuck|going (?:crazy|mad|nuts)|asking|used|having (?:trouble|problems|issues)|based|"
        rf"located)\b)[a-z]+ing\b.{{0,100}}\b{FUTURE}",
        rf"(?:in|at|away|off|out|abroad|on (?:holiday|leave|vacation|call|duty)|back|busy|free|unavailable|"
        rf"travelling|traveling)\b.{{0,60}}\b(?:until|till|tomorrow|next|this (?:week|weekend)|from|"
        rf"on {WEEKDAY}|in {MONTH}|starting|between|over the)\b",
    ),
    dropped=(
        rf"(?:have |got )(?:a|an|my|our|the|another|two|three) {_EVENT_NOUN}\b.{{0,60}}\b(?:{FUTURE}|at {CLOCK})",
        rf"(?!(?:trying|looking|thinking|considering|wondering|hoping|leaning|getting|going|anything|nothing|"
        rf"something|everything|"
        rf"during|regarding|including|according|morning|evening|string|following|concerning|pending|existing|"
        rf"missing|being|having|"
        rf"using|building|king|spring|reading|asking|nothing|failing|crashing|based|speaking|"
        rf"waiting)\b)[a-z]{{2,}}ing\b.{{1,80}}"
        rf"\b{FUTURE}",
        rf"(?:back|away|off|out|abroad|on (?:holiday|leave|vacation)|home)(?: in the \w+| at work| in \w+)? {FUTURE}",
        rf"{_EVENT_NOUN}(?: (?:with|for|at|in) (?:[\w'-]+ ){{0,2}}[\w'-]+)? (?:is |: |, )?{FUTURE}",
    ),
    after_will=(
        r"(?:not|never) (?:ever )?[a-z]+ .{0,60}\b(?:again|any ?more|any longer)\b(?! (?:to|what|how))",
        rf"(?!{_SMALL_TALK})(?!(?:the|a|an|my|our|bed|work|school|sleep|hell)\b)(?:not |never |no longer "
        rf")?(?!(?:not|never)\b)[a-z]",
        rf".{{0,80}}\b{FUTURE}",
    ),
    start=(
        rf"{_SOON}(?: at {CLOCK})? (?:, )?(?:i|we) (?:am |are )?(?!{_NO_PLAN})[a-z]+",
        rf"(?:the|my|our) (?:[\w'-]+ ){{1,5}}(?:happens?|takes? place|goes live|gets under way|kicks off|is coming "
        rf"up) {FUTURE}",
        rf"(?:[\w'-]+ ){{1,3}}due (?:back |in )?{FUTURE}",
        rf"(?:see|meet) you (?:all |both )?(?:there )?{FUTURE}",
        rf"(?:the|my|our) (?!train|bus|museum|sun|shop|store|film|movie|file)(?:[\w'-]+ ){{1,3}}(?:comes?|arrives?|"
        rf"visits?|is "
        rf"coming|are coming|is due|picks? (?:me|us|it) up|delivers?) (?:at (?:{CLOCK}|\w+) |here |to us |by "
        rf")?{_SOON}",
        r"(?:the|my|our) (?:(?!train|bus|museum|sun|shop|store|film|movie|file)[\w'-]+ ){1,3}(?:come|"
        r"comes|"
        rf"arrive|arrives|visit|visits|move in|moves in|start|starts|begin|begins|return|returns|is coming|"
        rf"are coming|is arriving|are arriving|is moving in) (?:over |back |to us |here |again |me |us |at ours |"
        rf"with us )*{FUTURE}",
        rf"(?:the|my|our) (?!birthday|name|address|timezone)(?:[\w'-]+ ){{1,4}}(?:is|are) (?:now |"
        rf"already )?(?:(?:on |at |next |this )?.{{0,12}}?{FUTURE})(?: (?:at|around|from) .{{1,20}})? "
        r"?[.!]?$",
        rf"(?:leaving|flying|moving|meeting|visiting|starting|heading|travelling|traveling|seeing|launching|"
        rf"presenting|hosting|driving|getting married|picking up|having|taking|going to|running|giving a|"
        rf"sitting|handing in|submitting) .{{0,60}}{FUTURE}",
        rf"{_THEIRS}{_MINE}(?:deadline|due date|cut-?off|closing date)(?: (?:for|of|to) .{{1,50}}?)? ?(?:is|"
        rf"are|:|=|has (?:moved|been moved|been extended|changed)|moved|got moved|shifted|was (?:moved|"
        rf"extended|pushed|postponed)|falls)(?: not| up| back| to| now| set| still| on)* (?!unclear|unknown|"
        rf"missing|over|gone|past|wrong|not|in the|a\b|an\b|what|which|when|tight|insane|crazy|was|"
        rf"met).{{0,40}}",
        rf"{_THEIRS}{_MINE}{_EVENT_NOUN}(?: (?:with|for|at|in|of|to) .{{1,40}}?)? (?:is|are|starts?|begins?|resumes?|"
        rf"leaves|departs|takes place|got moved|has been moved|was moved|will be|happens|runs|ends|"
        rf"expires)(?: now| already| again| back)?(?: {_SCHEDULED})?(?: for| on| to)? ?.{{0,20}}?{FUTURE}",
        rf"{_THEIRS}(?:[\w'.#/-]+ ){{1,8}}?(?:is|are|has been|have been|got) (?:now |already |"
        rf"all )?{_SCHEDULED} (?:for|on|by|at|in|to|until|tomorrow|next|this|{WEEKDAY}|{MONTH}|the \d)",
        rf"(?!the (?:train|bus|museum|shop|store|film|movie|ferry|tram|plane)\b)(?:my|our|the|v\d[\w.]*|version|"
        rf"release|[a-z]+ \d[\w.]*)(?: [\w'.-]+){{0,3}}? (?:ships|launches|goes (?:to|into)|gets (?:sent|delivered|"
        rf"handed)|is handed|is delivered|"
        rf"goes live|goes out|is going live|is out|expires|ends|closes|leaves|departs|lands|opens|starts|"
        rf"begins|premieres|releases) .{{0,30}}?(?:{FUTURE})",
        r"(?:my|our) (?:\w+ )?(?:plan|goal|aim|intention|resolution|target|objective|mission)(?: (?:for|this|"
        r"is) .{1,30}?)? (?:is|:) ?(?:to|that|not to)?\b(?! (?:unclear|missing|not|too|what|wrong))",
        rf"(?:will|gonna|going to|planning (?:to|on)|plan to|need to|have to|must|off to|due|got to|"
        rf"am going to) (?!i |we |you |he |she |it |they |the |be (?:honest|fine)).{{2,80}}\b{FUTURE}",
        r"planning (?:to|on)\b",
        r"(?:(?:reminder|note|memo|todo|to-do|to do) )?(?:to|for) (?:self|myself) ?(?::|-|,|$)",
        r"(?:signed|booked|registered|enrolled)(?: myself| us)? (?:up |in )?(?:for|on|to)\b.{0,60}",
        r"(?:gonna|going to) [a-z]+ ",
        r"(?:deadline|due|due date|appointment|exam|flight|departure|wedding|surgery|submission) ?(?::|is|"
        r"on|"
        rf"by|-)? ?.{{0,12}}{FUTURE}",
        rf"{_MINE}(?:\w+ )?(?:must|has to|have to|needs? to) be (?:done|finished|ready|submitted|handed in|"
        rf"delivered|sent|signed|paid|in|out|complete[d]?|shipped|live|filed) .{{0,30}}{FUTURE}",
        rf"(?:\w+ ){{0,3}}(?:and i|and me) .{{0,20}}(?:are|will) .{{0,60}}{FUTURE}",
    ),
    anywhere=(
        r"(?:you will (?:get|have|receive|hear|find)|expect|you can expect|you get) .{1,80}(?:from me|from "
        r"us|"
        r"by (?:me|us)|in your inbox)",
        r"\b(?:count me in|count on (?:me|us)|you have (?:my|our) word|consider it done|my word on it|"
        r"cross my heart|on my word)\b",
        r"(?:it is|that is) on (?:me|us) to\b",
        rf"\bwill be (?:in your (?:inbox|hands|mailbox)|with you|on your desk|ready|done|finished|delivered|sent|"
        rf"online|live) "
        rf"{FUTURE}",
        r"(?:leave (?:it|that|this) to|you can (?:rely|depend) on) (?:me|us)\b",
    ),
)
