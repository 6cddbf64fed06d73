"""English rules: a choice that the user, or a group with the user in it, has made."""

from __future__ import annotations

from vaultkeeper.memory.events.rules_en import Rules

_NOT_DECIDED = r"(?!not |never |yet\b)"

_CHOSEN = (
    r"(?:decided(?! (?:by|nothing)\b)|agreed(?! with (?:you|him|her|them|that))|chose|chosen|settled (?:on|for|that)|"
    r"opted|picked(?! up\b| on\b)|elected to|resolved (?:to|that|on)|voted (?:to|for|against|on|in favour)|"
    r"concluded|made up (?:my|our) minds?|made (?:a|the|our|my) (?:final )?(?:decision|choice|call)|"
    r"went (?:with(?! my\b| him\b| her\b| them\b| us\b| a friend\b)|for(?! a (?:walk|run|ride|swim|drive|"
    r"coffee|drink|beer|hike)\b))|gone (?:with|for)|landed on|ruled out|ditched|scrapped|shelved|called off|"
    r"cancell?ed|given up on|gave up on|switched to|moved (?:over|away from|everything)|rejected|turned down|"
    r"accepted|signed off on|finalised|finalized|locked in|approved|passed on(?= the)|postponed|"
    r"dropped (?:the (?:idea|plan|project|course)|support)|went ahead with|ended up (?:choosing|picking|"
    r"going|"
    r"taking|with|buying|ordering|keeping)|selected|committed to the|said (?:no|yes) to|said goodbye to|"
    r"abandoned|come down on|discarded|green-?lit|pulled the (?:plug|trigger) on|called (?:it )?quits on|"
    r"(?:went|gone|switched|moved|reverted|returned) back to(?! (?:sleep|bed|work|school|the (?:page|start|"
    r"beginning|office|"
    r"shop|store))\b)|reverted to|shaken hands on|shook hands on|settled it|nailed down|narrowed it down to (?:one|"
    r"the)|"
    r"killed (?:the|our|off)|axed|vetoed|crossed off|waved through|signed up with|done deliberating|found our winner|"
    r"come to (?:a|the) decision|reached (?:a|the) (?:decision|agreement|consensus))\b"
)

_CHOOSING = (
    r"(?:going (?:with(?! (?:my|him|her|them|us|a friend|you|the flow)\b)|for(?! a (?:walk|run|ride|swim|"
    r"drive|coffee)\b)|ahead with|back to|(?:all )?in on|full|without)|sticking (?:with|to)|staying (?:with|"
    r"on)|keeping(?! (?:an eye|track|my|our|up|fingers|it in mind|that in mind|you|calm|busy|"
    r"quiet|going|score|watch|tabs)\b)|switching(?! between)|moving (?:the|our|my|all|everything) .{1,40} (?:to|off|"
    r"into|onto|over to)|moving (?:to|over to|away from|off|everything|from)|"
    r"migrating (?:to|"
    r"from|off)|dropping(?! (?:by|in|off)\b)|ditching|scrapping|skipping|adopting|replacing|"
    r"standardi[sz]ing on|settling (?:on|for)|opting|choosing(?! between)|picking(?! (?:up|between)\b)|"
    r"phasing out|retiring the|killing(?: off)? (?:the|our)|axing|scaling back|calling off|"
    r"buying (?:it|the|a|an|that|this|both)|(?:taking|buying|using|booking|ordering|hiring|renting|building|making) "
    r".{1,40} instead|taking (?:it|that|this|them|both)(?: one)?(?= (?:anyway|then|after all)| ?[.!,]|$)|taking "
    r"(?:the|that|this|their|his|her) (?:[\w'-]+ ){0,2}(?:job|offer|role|position|"
    r"deal|flat|apartment|house|room|place|first|second|third|one|option|slot)|renting (?:the|a|an|it|that)|"
    r"reverting|abandoning|cancell?ing|postponing|shelving|leaving [^\W\d_]+ for|saying no to|"
    r"getting rid of|giving up on(?! (?:this|that|it|you|him|her|them|life|everything)\b)|making do without|not "
    r"(?:going|doing|using|renewing|buying|taking|having|"
    r"adding|supporting|selling|building|moving|hiring|keeping|switching|inviting|bringing|getting|"
    r"migrating))\b"
)

_OPT_VERB = (
    r"(?:use|go (?:with|for|ahead with|back to|without)|stick (?:with|to)|stay with|switch|adopt|settle "
    r"(?:on|"
    r"for)|opt for|choose|pick(?! (?:up|you|him|her|them|the kids)\b)|do without|replace|ditch|drop(?! (?:by|"
    r"in|off|you|him|her|it)\b)|skip|keep(?! (?:\w+ing|you|in mind|an eye|it in mind|that in mind|at it|up|"
    r"each|"
    r"posted|everyone|on|my (?:fingers|spirits|eyes|head|mind|cool))\b)|take (?=(?:the|option|number|plan|"
    r"version|"
    r"variant|both|this one|that one|two|three|a) )(?!(?:a (?:look|break|picture|photo|bath|nap|closer|step|"
    r"moment|deep|guess|peek|walk|stab|while|minute|second|sec)|the (?:kids|dog|car|bus|train|bin|trash|"
    r"blame|"
    r"bet|time|hit|day|lead|stairs|minutes|notes|trash|call|rubbish|garbage))\b)|standardi[sz]e on|stop (?:doing|"
    r"using|"
    r"supporting|selling)|name it|call it|"
    r"get rid of|move (?:to|everything|away)|migrate|cancel|postpone|leave it)\b"
)

_ORDINAL = (
    r"(?:first|second|third|fourth|fifth|last|latter|former|other|next-to-last|middle|cheaper|cheapest|"
    r"bigger|"
    r"smaller|shorter|longer|simpler|simplest|later|earlier)"
)

_OPTION = (
    r"(?:one|option|variant|plan|version|proposal|draft|design|suggestion|idea|alternative|choice|offer|"
    r"model|"
    r"date|slot|solution|title|name)"
)

_NAMED_OPTION = (
    r"(?:option|plan|variant|version|number|proposal|no\.?|draft|design|alternative|solution|"
    r"candidate) (?:[a-h]|\d{1,2}|one|two|three|four)\b"
)

_AGREE = (
    r"(?:ok|okay|k|fine|alright|all right|right|yes|yeah|yep|yup|good|great|cool|perfect|sold|deal|hmm?|then|"
    r"well|so|convinced|done)"
)

DECISION = Rules(
    dropped=(
        r"(?:no longer |not )?(?:going all in on|dropping|ditching|scrapping|skipping|switching (?:to|from)|moving "
        r"(?:to|off|"
        r"away from) (?!the (?:next|top|end|left|right))|migrating (?:to|off)|sticking (?:with|to)|staying with|"
        r"settling (?:on|"
        r"for)|opting (?:for|out)|rolling back to|abandoning|postponing|cancell?ing|keeping) (?!up\b|an eye|track|"
        r"in mind|by\b|"
        r"in\b|you\b)[\w'-]+(?! errors?\b| connections?\b| packets?\b)",
        r"(?:declined|rejected|turned down|accepted|scrapped|ditched|cancell?ed|postponed|shelved|picked|chose|"
        r"chosen|booked|"
        r"bought|ruled out|signed|voted (?:for|against|to)|switched (?:to|over)|rolled back to|passed on) (?:the|my|"
        r"our|their|"
        r"his|her|that|it|both|option|plan|number|\w+ (?:over|instead))\b",
        r"(?:no|yes|nope|nay|aye|thumbs (?:up|down)) to (?:the|that|their|his|her|your|a|an|any|all|more|\w+ing)\b",
    ),
    after_subject=(
        r"(?:rolled|fell|dropped) back to(?! (?:sleep|bed|the (?:page|start)))\b",
        r"(?:did )?(?:finally |all |at least )?agree (?:on|to|that)\b",
        r"(?:have )?voted(?= [,:;.!]|$)",
        r"(?:told|said to) (?:him|her|them|[\w'-]+|the [\w'-]+) (?:no|yes)\b",
        r"(?:proceed|go ahead|move ahead|press on) with\b",
        r"(?:declined|refused|backed out of|pulled out of|withdrew from|opted out of|agreed on|agreed to|struck a "
        r"deal)\b(?! to "
        r"(?:work|start|load|open|compile|boot))",
        r"(?:have )?settled (?:the|this|that|it|my|our)\b",
        r"(?:will|shall) (?:now |also |no longer |only )?(?:allow|permit|forbid|ban|accept|reject|decline|turn down|"
        r"require)\b(?! (?:"
        r"myself|ourselves)\b)",
        rf"(?:have )?{_NOT_DECIDED}{_CHOSEN}",
        rf"(?:will|shall|am going to|are going to) (?:just |then |probably not |definitely |all )?{_OPT_VERB}",
        r"(?:cancel|scrap|postpone|adopt|ditch|go with(?! (?:my|him|her|them)\b)|go for(?! (?:a|walks|runs)\b)|"
        r"stick (?:with|to)|"
        r"switch to|drop(?! (?:by|in|off)\b)) (?:the|this|that|our|my|option|plan|number|version|proposal)\b",
        r"(?:got|have) (?:a|an) (?:agreement|deal|consensus)\b",
        r"(?:booked|bought|ordered|rented|hired|signed|took|got|built|used|kept|named|called|made|chartered|"
        r"hired) .{1,70}(?:\binstead|\bafter all|\bin the end)\b",
        r"(?:come|came) to (?:a|the|our|an) (?:decision|agreement|conclusion|consensus)\b",
        r"(?:choose|opt for|settle for|settle on|side with|vote for)\b(?! between)",
    ),
    after_am=(rf"{_CHOOSING}",),
    start=(
        r"(?:so )?let us (?:all |just |then |please )?(?:not )?(?:(?:call|name) (?:it|the|our|him|her|them|this)\b|"
        r"go (?:with|for|ahead with)|use|"
        r"keep(?! (?:\w+ing\b|in mind|it up|up|each|everyone|in touch|at it|on))|stick|take (?!a (?:look|"
        r"step|break|moment|closer|deep|walk|"
        r"second)|this|that|it )|drop|skip|pick|choose|stay with|settle on|settle for|make it|call it|"
        r"leave it|switch|move to|do (?:the|option|plan|it (?:on|at|like|in)|both|all|(?:that|this|it)(?: one| then|"
        r" instead)?(?= ?[.!,]|$))|have the|agree|adopt|"
        r"replace|rename|say (?:yes|no)|ship|postpone|cancel|get the|buy the|name it|paint it|meet|build|"
        r"rent|"
        r"order)\b",
        r"(?:so |and |but |ok |then )?(?:(?:the|our|my|team|final|group|family|jury|"
        r"unanimous) ){0,3}(?:decision|verdict|choice|pick|conclusion|resolution|consensus|outcome|vote|call|answer|"
        r"winner)(?: (?:on|about|for|regarding|of) (?:\w+ ){1,4}?| (?:today|now|yesterday) )? ?(?:is in|is|was|"
        r"stands|made|taken|:|fell on|falls on|=)(?! (?:not|hard|difficult|up|open|pending|still|unclear|"
        r"mine|"
        r"yours|due|easy|tough|between)\b)",
        r"(?:so )?it (?:is|has been) (?:now |all |finally |officially )?(?:decided(?! (?:by|whether|if|how|on a)\b)|"
        r"settled|final|official|"
        r"agreed|a done deal)\b",
        r"(?:decided|agreed|settled|resolved|final decision|final answer|final choice|verdict|it is decided|"
        r"all agreed|everyone agreed|team agreed|group agreed) ?(?::|,|-|-+|that\b|to\b|on\b|against\b|"
        r"upon\b)",
        r"(?:then |so |ok |okay |just )?(?:am |are )?(?:going (?:with|for)(?! a (?:walk|run|ride)\b)|"
        r"sticking (?:with|to)|switching to|settled on|opted for|opting for|went with|decided (?:to|on|"
        r"against))\b",
        r"(?!.*\b(?:what|how|whatever|so|as|here|there|that|this|like|where|who|such|look|see|know|think|"
        r"love|whoever|wherever|than|because|way) )(?:[\w'-]+ ){1,5}it is(?: then)?(?: [.!]|$)",
        rf"(?:{_AGREE}[ ,]+){{0,3}}(?:then |let us do |let us |we take |i take |give me |i choose |i pick |"
        rf"i want |take |with |do )?(?:the|your|that) {_ORDINAL}(?: {_OPTION})?(?: (?:then|it is|please|wins|"
        rf"from the list|of the (?:two|three)|you (?:suggested|proposed|gave)|with .{{1,30}}))?(?: ?[.!,]|$)",
        rf"(?:{_AGREE}[ ,]+){{0,3}}(?:then |let us do |let us |we take |i take |give me |i choose |i pick |"
        rf"i want |take |with |do )?(?:the )?{_NAMED_OPTION}(?: (?:then|it is|please|wins|sounds (?:good|"
        rf"right|best)))?(?= ?(?:[.!,] |[.!,]?$))",
        rf"(?:{_AGREE}[ ,]+){{1,3}}(?!(?:what|how|see|and|but|now|so|back|until|since|by|that|this|it)\b)(?:the "
        rf")?(?:[\w'-]+ ){{1,3}}"
        r"then(?= ?[.!]|$)",
        r"it is a (?:firm |clear |definite |hard |final )?(?:no|yes|deal)\b(?!-)(?! (?:brainer|good|problem)\b)",
        r"(?:that|so that) is (?:settled|decided)\b",
        r"(?:we|i) (?:are|am) (?:all )?(?:agreed|settled|decided|set) (?:on|that|to)\b",
        rf"(?:{_AGREE}[ ,]+){{0,3}}(?:then )?(?:do|book|buy|order|use|keep) (?:the|your|that) {_ORDINAL}(?: "
        rf"{_OPTION})?(?: then| please)?(?: "
        rf"?[.!,]|$)",
        r"(?:the |this |that )?(?:[\w'-]+ ){0,3}(?:one|option|version|variant|plan)(?: it is| , let us (?:do|take|"
        r"go with|"
        r"use) (?:that|it|this))\b",
        r"(?:the|our|my|its|his|her) (?:new |final |first )?(?:name|title|colou?r|date|venue|theme|logo|slogan|"
        r"domain|motto|"
        r"location|place|winner|topic|format) (?:will be|is going to be|has to be|stays|shall be)\b(?! (?:shown|"
        r"used|sent|"
        r"displayed|decided|announced|taken|removed|in |on the )\b)",
        r"(?:[\w'-]+ ){1,3}(?:is|are) (?:out|off the table|dead|scrapped|off|history)(?: , | ; | - |: )(?:[\w'-]+ "
        r"){1,4}(?:is|"
        r"are) (?:in|on|back)\b",
        r"(?:final|last) (?:call|word|answer|offer) ?(?::|,|-)",
        r"(?:[\w'-]+ ){0,4}(?:settled|decided|agreed|resolved|outcome|verdict|conclusion|fixed|locked|final) ?:",
        r"(?:the |our |my )?(?:name|title|date|colou?r|venue|theme|logo|domain|plan|route|menu|price|design)(?: is|"
        r"'s|s) (?:now |"
        r"finally )?(?:fixed|settled|decided|final|locked(?: in)?|set|chosen)\b(?! (?:for|to|on|by)\b)",
    ),
    anywhere=(
        r"we will (?:not|no longer) (?!know|see|get|be able|have|need|understand|tell)[a-z]+",
        r"\b(?:that|this) (?:was|has been) (?:decided|agreed|settled)\b(?! by (?:him|her|them|the)\b)",
        r"\b(?:agreed|decided|approved) by (?:all|everyone|everybody|us all|both of us|all of us)\b",
        r"\b(?:that|this) is what (?:i|we) (?:have )?(?:settled on|decided(?: on)?|agreed(?: on| to)?|chose|chosen|"
        r"picked|went "
        r"with)\b",
        r"\b(?:is|are) (?:now |finally |all |officially )*(?:settled|decided(?! (?:by|whether|if|how)\b)|a done "
        r"deal|decided upon)"
        r"(?= ?[.!,:;]|$)",
        r"(?:that|which) settles (?:it|that)\b",
    ),
)
