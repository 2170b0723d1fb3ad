package reading

import (
	"strings"
)

// The rules of the grammar: what a clause says of the answers that it names, by
// language. An entry is a regular expression without case; in scripts that put spaces
// between words it matches at the beginning of a word.
//
// A claim ends where its answer may begin: "the answer is", "I choose". Between the two
// stand fillers only. An endorsement follows its answer: "(B) is correct".

// claims state what follows.
var claims = rules{
	// English
	`(?:(?:final|correct|right|best|proper|only|most likely|own|remaining|possible|overall) )*(?:answers?|ans|solutions?|results?|responses?|s[ée]lection|conclusion|vote|pick|selection|decision|verdict|guess|estimate|total|sum)(?: letter| option| choice)?(?:,? (?:to|for|of|in|that|which|as|then|among|after|given|based on|i|we)(?: [^.:;!?\n` + answerRange + `]{1,60}?)?,?)?(?: (?:here|now|itself|then|goes)| \([^()\n]{1,30}\)|, (?:my|dear|i|of course|then|as)[^,.:;\n` + answerRange + `]{0,24},)*["']?\s*(?:[:=→>-]+| to|(?:,? (?:therefore|thus|then|clearly))*` + copulas + `)`,
	`(?:(?:(?:final|correct|right|best|only|proper|applicable|valid|most likely|remaining|my) )+(?:options|choices|letters|candidates|ones?)|(?:(?:final|correct|right|best|only|proper|most likely|remaining|my|possible) )*(?:option|choice|letter|candidate|value|number))(?: (?:for|of|in|to|left|that|which|as|among|i|we) [^.:;!?\n` + answerRange + `]{1,60}?)?["']?\s*(?::|` + copulas + `)`,
	`(?:final|correct|right|best|my) answer`, `final\s*[:=→]`, `you(?:'re| are) (?:looking|searching|asking) for is`,
	`(?:i|we|you|one|let us|let's)(?:'d|'ll|'m| am| are| will| would| should| must| shall| can| have to| going to| hereby| therefore| still| also| now| then| ultimately| finally)* (?:choose|pick|select|go with|go for|going with|opt for|settled? on|settle for|stick with|stay with|stand by|vote for|vote|recommend|think|guess|believe|bet on|arrive at|land on|come down on|decide on|decide for|favou?r|endorse|support|propose|submit|conclude(?: that)?|get|obtain|estimate|answer|say|switch to|move to|prefer|maintain|chose|take|keep|hold|mark|tick|lock in|am left with|(?:choos|pick|select|answer|stick|stay|vot|keep|switch|go|opt|settl|lock)ing(?: with| for| to| on| in)?)`,
	`(?:confident|convinced|sure|certain)(?: that| in| about| of)?`,
	`(?:the )?(?:facts|data) (?:say|point to|support)`, `i (?:think|believe|guess|say),`,
	`(?:true|correct|right|valid) statements?\s*(?::|are|is)`,
	`(?:cast|give|casting|giving)(?: my| our) vote (?:for|to)`,
	`(?:put me down for|count (?:me|my vote) for|(?:my )?money is on|locking in|the one (?:that|which) [^.,:;!?\n` +
		answerRange + `]{1,40} is)`,
	`(?:i|we)(?: fully| strongly| completely| also| still| must| have to)* (?:agree|concur|side)[^.;!?\n` +
		answerRange + `]{0,60}`,
	`(?:chang|switch|revis|updat|mov|correct|rais|lower|increas|decreas|reduc|adjust|shift)(?:e|ed|es|ing)?(?: my)?(?: own)?(?: answer| vote| choice| mind| opinion| estimate| it| this| that| mine)?(?: from ?(?:option )?` + answerRune + `)?(?: by ` + answerRune + `)?,? ?to`,
	`(?:choosing|(?:now|therefore|hereby) choose)`,
	`(?:my )?(?:own )?(?:answer|choice) (?:is|remains|stays)(?: with)?`,
	`(?:everything|the evidence|all (?:of )?(?:the |this )?(?:evidence|signs|facts)|(?:every|each) (?:fact|sign)|(?:the|my) reasoning)(?: clearly)? (?:points? to|favou?rs?|leads? to|speaks? for|supports?|suggests?|indicates?)`, `(?:leads|brings|takes) (?:me|us) to`,
	`selected(?: (?:options?|answers?))?\s*:`, `####`,
	`(?:i |we )?(?:end|ending|ended|finish|finishing)(?: up)? (?:with|on|at)`,
	`"(?:answers?|choices?|selected|selection|chosen|letters?|votes?|results?|verdict|label|prediction|output|estimate|(?:new|updated|revised|my) answer|final|correct(?: (?:answers?|options?|choices?|letters?))?|selected (?:options?|answers?|choices?|letters?))"\s*:`,
	`that makes`, `mine(?:\s*:| (?:is|stays|remains)(?: the same| unchanged)?)`, `i(?:'m| am) with`,
	`(?:stay|remain|(?:leave|keep|put) (?:it|mine|my \pL+)) at`, `(?:am|'m) now at`, `on the side of`,
	`remaining\s*:`, `insist on`, `should have been`,
	`(?:first|1st|top|primary|main) (?:choice|preference|pick)\s*:`, `(?:answer|choose)d? with`,
	// German
	`(?:antwort(?:en)?|lösung|wahl|ergebnis|stimme|antwortmöglichkeit|resultat)\s*(?:lautet|lauten|ist|sind|wäre|bleibt|[:=])(?: also| daher| somit)?`,
	`(?:richtige|korrekte|beste|einzige) (?:option|wahl|antwort)\s*(?:lautet|ist|wäre|:)?`,
	`(?:richtig|korrekt) (?:ist|sind|wäre)(?: also| daher| nur)?`,
	`ich (?:wähle|nehme|würde|antworte|sage|tippe auf|ändere meine antwort (?:auf|zu)|stimme für|entscheide mich für|bleibe bei|komme auf)`,
	`(?:erhalte|bekomme) ich`, `ich (?:erhalte|bekomme)`, `und bleibe bei`, `(?:spricht alles|alles spricht) für`,
	`(?:wähle|nehme|antworte|sage) ich(?: nun| jetzt| daher)?`,
	`(?:ändere|wechsle)(?: meine (?:antwort|stimme))?(?: von ` + answerRune + `)? (?:zu|auf|in)`,
	// Spanish
	`respuestas?(?: (?:correctas?|final|definitiva|adecuada))*\s*(?:es|son|sería|sea|:)`,
	`opci[oó]n(?: (?:correcta|adecuada))+\s*(?:es|:)`, `(?:yo )?(?:diría(?: que es)?|respondo)`,
	`(?:elijo|escojo|selecciono|voto por|me quedo con|mantengo|opto por)`,
	`digo que`, `cambio(?: mi (?:respuesta|voto|opción))?(?: de ` + answerRune + `)? (?:a|por)`,
	// French
	`réponses?(?: (?:correcte|finale|juste|exacte|définitive))*\s*(?:est|sont|serait|:)`,
	`(?:je choisis(?: finalement| donc)?|je dirais|je réponds|je vote pour|je prends|je retiens|j'opte pour|je sélectionne|je maintiens(?: ma réponse| mon choix)?|je passe(?: de ` + answerRune + `)? à)`,
	`(?:bonne|meilleure) option\s*(?:est|:)`,
	// Italian
	`rispost[ae](?: (?:corretta|corrette|finale|giusta|esatta))*\s*(?:è|sono|sarebbe|sia|:)`,
	`opzione corretta\s*(?:è|:)`,
	`(?:scelgo|direi|rispondo|voto per|opto per|seleziono)`,
	// Portuguese
	`respostas?(?: (?:correta|certa|final|corretas))*\s*(?:é|são|seria|seja|:)`,
	`(?:alternativa|opção)(?: (?:correta|certa))*\s*(?:é|seja|:)`, `gabarito(?: é|:)`,
	`mudo(?: (?:a )?minha resposta| meu voto)?(?: de ` + answerRune + `)? para`,
	`(?:escolho|diria|voto em|voto na|opto por|fico com|seleciono)`,
	// Dutch, Polish, Turkish, Indonesian, Vietnamese, Scandinavian
	`antwoord(?:en)?\s*(?:is|zijn|:)`, `ik kies(?: voor)?`,
	`(?:odpowied[zź]|opcja)(?: to|\s*:| jest)`, `(?:prawidłow|poprawn|właściw)[ae](?: jest| to)`,
	`(?:wybieram|głosuję na|razem(?: jest)?|wynik to|wynosi)`,
	`(?:ceva[pb]|yanıt|sonuç|toplam|seçim)(?:ı|ım)?\s*:?`, `doğru (?:cevap|yanıt|seçenek|şık)\s*:?`,
	`jawaban(?:nya)?(?: (?:yang benar|saya|akhir))*\s*(?:adalah|:)`,
	`pilihan(?:nya)?(?: (?:yang benar|saya))*\s*(?:adalah|:)`, `saya (?:memilih|pilih)`,
	`(?:đáp án|câu trả lời)(?: (?:đúng|của tôi))*\s*(?:là|:)`, `(?:tôi )?chọn`, `svar(?:et)?\s*(?:är|er|:)`,
	`jag väljer|jeg velger|jeg vælger`,
	// Czech, Slovak, Hungarian, Romanian, Finnish, Greek
	`(?:odpověď|odpoveď|možnost)\s*(?:je|:)`, `správn[ěe] (?:je|:)`, `(?:volím|vybírám|vyberám)`,
	`válasz(?:om)?\s*(?:az?|:)`, `(?:választom|választásom) az?`, `răspunsul(?: (?:corect|meu|final))*\s*(?:este|e|:)`,
	`aleg`, `vastau(?:s|kseni)\s*(?:on|:)`, `valitsen`,
	`απάντησ[ηή](?: μου)?\s*(?:είναι|:)`, `επιλέγω`,
	// Hebrew, Thai, Persian, Bengali
	`התשובה(?: (?:הנכונה|שלי|הסופית))*\s*(?:היא|הינה|:)`, `אני בוחר(?:ת)?(?: ב-?)?`,
	`คำตอบ(?:ที่ถูกต้อง|ที่ถูก|สุดท้าย|ของฉัน)*\s*(?:คือ|เป็น|:)`, `เลือก(?:ข้อ|ตัวเลือก)?`,
	`(?:پاسخ|جواب)(?: (?:صحیح|درست|نهایی|من))*(?: گزینه)?\s*:?`, `(?:সঠিক |চূড়ান্ত )*উত্তর\s*(?:হলো|হল|:)`,
	// Chinese
	`(?:答案|选项|结论|結論|结果|答)(?:从` + answerRune + `)?(?:应该|應該)?(?:改为|改成|还是|仍是|仍然是|依然是|是|为|為|应为|應為|就是|:)`,
	`(?:改为|改成|改选|改投|换成|更改为)`,
	`(?:我|应该|应|應|故|因此|所以|应当|投票)?(?:选择|選擇|选|選|投票给|投给|投票:)(?:了|的是|方案|选项)?`, `正确答案`, `正确选项`,
	// Japanese
	`(?:答え|正解|回答|解答|結論|答)(?:は|が|:)`,
	// Korean
	`(?:정답|답|답변|결론|선택|합계)(?:은|는|이|:|\s)`,
	// Russian
	`(?:(?:правильный|верный|окончательный|мой) )*ответ(?: это)?\s*[:—–-]`,
	`(?:(?:правильна|вірна|моя) )*відповідь(?: це)?\s*[:—–-]`, `обираю`,
	`(?:правильны[йе]|верны[йе]|окончательный|мой) (?:ответы?|варианты?)(?: ответа)?(?: это)?\s*[:—–-]?`,
	`(?:выбираю|голосую за)(?: вариант)?`, `меняю(?: свой)?(?: ответ| голос)?(?: с ` + answerRune + `)? на`,
	// Arabic
	`(?:الإجابة|الاجابة|الجواب|إجابتي)(?: (?:الصحيحة|الصحيح|النهائية|النهائي))?\s*(?:هي|هو|:)`,
	`الصحيحة? (?:هو|هي)`, `(?:الخيار|الاختيار)(?: (?:الصحيح|الأفضل))?\s*(?:هو|:)`, `(?:أختار|أصوت(?: على)?)`,
	// Hindi
	`(?:सही |अंतिम |मेरा )*(?:उत्तर|जवाब|विकल्प|चुनाव|संख्या|योग)(?: है)?\s*:?`,
}

const copulas = `\s+(?:is|are|was|be|remains?|stays?|becomes?|equals?|(?:(?:must|should|would|will|ought to|has to|have to|can only|would then|would have to|could only) be)|(?:is|=) therefore|corresponds to|(?:comes?|came|works?|adds?)(?: out| up)? (?:to|at)|amounts to)`

// conclusions state what follows directly, unless the text has a claim.
var conclusions = rules{
	`(?:so|therefore|hence|thus|consequently|accordingly|ergo|conclusion|in conclusion|in short|overall|finally|in the end|to conclude|clearly|undoubtedly|without a doubt|no doubt)(?:,? (?:it|this|that|the answer)(?:'s| is| must be| has to be| can only be))?,?`,
	`(?:(?:that|this|which) )?leaves(?: us| me)?(?: only)?(?: with)?`, `left with`,
	`(?:right|correct|exactly|no doubt about it):`, `^(?:right|correct|exactly),`,
	`(?:(?:this|that|it|which|everything) (?:points to|indicates|suggests|implies|confirms|yields|gives|means|makes it))`,
	`(?:on second thoughts?|(?:up)?on (?:further )?reflection),?`,
	`after (?:re)?(?:checking|considering|(?:further |more )?(?:review|reflection|thought|consideration))[:,]`,
	`(?:on balance|in summary|tl;dr|definitely|certainly|absolutely|obviously|of course)`, `leaving(?: us)?(?: with)?`,
	`(?:so|therefore|thus|hence|then|altogether)(?:,? \pL+){1,3} (?:has|have|had|is|are|was|were|gets?|needs?|costs?|takes?|earns?|pays?|spends?|makes?|sold|made|paid|spent|earned)(?: to)?`,
	`(?:it|this|that)(?:'s|'d be| is| must be| should be| has to be| can only be| will be| corresponds to| matches| would be)`,
	`(?:gotta|must|(?:has|have|got) to) be`, `now:`, `correcting [^.;:,` + answerRange + `]{1,30} gives`,
	`by (?:a |the )?(?:process of |simple )?(?:elimination|exclusion),?`,
	`only`, `just`, `yes[,:]`, `🥇`, `het is`, `(?:=|-)>`, `→`, `✅`, `✓`,
	`(?:in total|altogether)(?:,? (?:there|he|she|they|it|we|you) (?:is|are|was|were|has|have|had))?`,
	`(?:also|daher|somit|folglich|deshalb|deswegen|demnach|insgesamt)(?: (?:ist es|ist|sind es))?`,
	`(?:es|das) (?:ist|sind)`, `dass es`,
	`(?:por (?:lo )?tanto|así que|entonces|por consiguiente|luego)(?: es)?`,
	`(?:donc|par conséquent|ainsi|c'est)(?: c'est)?`, `(?:quindi|dunque|perciò|pertanto)(?: è)?`,
	`(?:acho que é|creo que es|penso che sia|je (?:crois|pense) que c'est)`, `(?:portanto|logo|então|assim)(?: é)?`,
	`dlatego`,
	`(?:所以|因此|故|于是|总共|一共)(?:是|为|有|一共有|共有)?`, `(?:したがって|よって|だから|ゆえに)`, `(?:따라서|그러므로|그래서)`,
	`(?:следовательно|значит|итак|поэтому|таким образом)`, `(?:لذلك|إذن|بالتالي)`, `(?:इसलिए|अतः)`,
	`選択肢`,
}

// corrections claim what ends their clause, in place of what was said before.
var corrections = rules{
	`(?:i |we )?(?:meant|mean)(?: to (?:say|write|type|choose))?`, `(?:correct(?:ion|ed)|edit|erratum|update)\s*:?`,
	`(?:correct|fix|amend) (?:that|this|it|myself)(?: to)?\s*:?`,
	`(?:oops|whoops|sorry|apologies|my (?:mistake|bad|error)|(?:scrap|strike|scratch) that|wait,? no|no,? wait|hold on|i misread|i miscounted|i misspoke)(?:[,:;– —-]|[^.!?\n` + answerRange + `]{0,60}[,–—-]|[^.!?\n]{0,60}:)`,
}

// regrets say that what stands before them was a mistake.
var regrets = rules{`(?:oops|whoops|sorry|apologies|my (?:mistake|bad|error)|i (?:misread|miscounted|misspoke|forgot|overlooked|made (?:a|an) (?:mistake|error|slip))|i was wrong|(?:scrap|strike|scratch) that|correction|wait,? no|no,? wait|(?:hmm+|uh|er|ah)[,. ]+no)(?:$|[^\pL])`, `(?:[—–-] ?|(?:oh|hmm+|but|no|actually)[,.]* )wait[,.:;!…–— -]`}

// endorsements follow an answer that they state.
var endorsements = rules{
	`(?:, [^,.;` + answerRange + `]{1,40},)?,?(?: alone| itself| now)? ?(?:is|are|was|must be|has to be|would be|remains|stays|(?:seems?|appears?|looks|sounds)(?: to be)?)(?: (?:clearly|definitely|certainly|indeed|therefore|thus|also|then|obviously|surely|in fact|actually|both|all|my|our|the|a|final|only|most|single|one|that is))* ?(?:correct|right|true|best|better|answers?|accurate|appropriate|suitable|choice|valid|solution|winner|preferred|convincing|persuasive|plausible|sound|one(?:$|[.,!;]| (?:that|which) (?:is |was )?(?:left|remains|fits|works)))`,
	` (?:both |all )?appl(?:y|ies)(?:$|[.,;!\n])`, ` (?:gets|has|wins|earns|deserves) (?:my|our) (?:vote|support)`,
	` has the only (?:correct|right|valid|sound)`, ` ?(?:\|[^|\n` + answerRange + `]*)*\| ?[✓✅✔]`,
	`[^.;!?\n` + answerRange + `]{0,40}` + iAgree, ` it is\b`, ` is mine\b`, `'s the (?:answer|one)`,
	`,? (?:is|was|remains) (?:what|the one(?: that)?|where) (?:i|we)(?:'d|'ll| would| will|'m| am)? (?:choose|pick|select|go|going|went|answer|vote|settle|take|stay)`,
	`(?: [^.,:;!?\n` + answerRange + `]{1,40})?\s?[:–—-] ?(?:right|correct|true)(?:$|[.,;!\n])`,
	`(?: [^.,:;!?\n` + answerRange + `]{1,40})? ?(?:←|<[-=]+)\s*(?:(?:this(?: one)?|(?:my|the)? ?(?:final |correct |right |best )*(?:answer|choice|pick|vote|one)|correct|right)?(?:$|[.!\n]))`,
	` beats? `, ` (?:correct|right|true)(?:$|[.,;!\n])`,
	`(?: is)? the (?:right|correct|best|fairest|clearest|strongest|soundest|safest|most (?:likely|plausible|probable|appropriate|suitable|accurate|fitting|reasonable|logical|sensible))(?: (?:one|answer|option|choice)|$|[.,;!])`,
	` (?:fits|wins|holds|works)(?: best)?(?:$|[.,;!])`, `:? ?(?:- )?yes(?:$|[.\n,;])`, `:? ?[✅✓]`,
	` (?:ist|sind|wäre)(?: (?:also|daher|die|eindeutig))* (?:richtig|korrekt|beste|antwort)`, ` stimmt`,
	` für (?:richtig|korrekt)`, ` (?:richtig|korrekt|die (?:richtige|beste) antwort) (?:ist|sind)`,
	` (?:es|son|está|sería)(?: (?:la|las|claramente))* (?:correct|respuesta|adecuad|verdader|opción correcta)`,
	` (?:est|sont|serait)(?: (?:la|donc))* (?:correct|bonne|juste|réponse|exact|vrai)`,
	` (?:è|sono)(?: (?:la|quindi))* (?:corrett|giust|risposta|esatt|vera)`,
	` (?:é|são|está|estão)(?: (?:a|portanto))* (?:corret|cert|resposta|verdadeir)`,
	` ?(?:才)?(?:是|为)?(?:正确|正確|对的|對的)(?:的|答案|选项)?`, ` ?(?:が|は)(?:正しい|正解)`, ` ?(?:を(?:選|選択)|に(?:投票|一票|変更|変え))`,
	` ?(?:이|가|은|는)? ?(?:정답|맞|옳)`, ` ?(?:(?:을|를) ?(?:선택|고르|고릅|택)|에 ?투표)`,
	` (?:является |— |это )?(?:верн|правильн|прав)`, ` (?:صحيح|هي الصحيحة|هو الصحيح)`, ` (?:ही )?(?:को )?(?:सही|चुन)`,
	` (?:seçeneğ|şıkk)\pL+ (?:seç|doğru|oy)`, ` (?:doğru|seçiyorum)`, ` jest (?:prawidłow|poprawn|właściw)`,
	` je správn`, ` este corect`, ` είναι (?:η )?σωστ`,
}

// denials stand right before an answer that they exclude.
var denials = rules{
	`(?:not|cannot be|can't be|isn't|aren't|wasn't|n't be|never|neither|nor|rather than|instead of|except(?: for)?|other than|over|anything but|but not|apart from|besides|excluding|without|contrary to|unlike|as opposed to)`,
	`(?:nicht|kein|keine|weder|noch|außer|statt|anstatt|anstelle von)`,
	`(?:no(?: es)?|ni|excepto|salvo|en lugar de|en vez de)`, `(?:pas|ni|sauf|au lieu de|non)`,
	`(?:non(?: è)?|né|tranne|invece di)`, `(?:não(?: é)?|nem|exceto|em vez de)`, `niet`, `(?:nie(?: jest)?)`,
	`(?:není|nie je|nu(?: este)?|nem(?: az?)?|ei ole|inte|ikke|bukan|không phải(?: là)?|δεν είναι|όχι|לא|אינה|אינו|ไม่ใช่|نیست|নয়)`,
	`(?:而?不是|不选|不選|并非|不为|非|而非|除了)`, `(?:не(?: это)?|ни|кроме|вместо)`, `(?:و?ليست?|و?لا|غير|عدا)`,
	`(?:rule|ruled|ruling) out`, `(?:eliminat|exclud|discard|reject|dismiss)\pL*`, `(?:disagree|disagrees) with`,
	`(?:(?:take|taking|took) back|retract\w*|withdr\w+|abandon\w*)`, `from`,
	`don't (?:choose|pick|select|think it is|think it's)`,
	`(?:wrong|incorrect) (?:with|options?|answers?)(?: (?:is|are))?`,
	`(?:schließe|ausgeschlossen|verwerfe)\pL*`, `(?:descart|elimin|exclu)\pL*`, `(?:écart|élimin|exclu)\pL*`,
	`(?:esclud|scart)\pL*`, `(?:排除|淘汰)(?:了)?`, `исключ\pL*`, `(?:أستبعد|استبعد)`,
}

// iAgree makes what others say the text's own.
const iAgree = `\band (?:so do (?:i|` + answerRune + `)|i (?:also |fully |strongly )?(?:agree|concur)|i(?:'m| am) (?:now )?(?:persuaded|convinced))(?:\W*$|[.;!\n]|,? with (?:them|him|her|it|this|that|both|all)\b)`

// rejections follow an answer that they exclude, in its clause.
var rejections = rules{
	`(?:is|are|was|were|does|do|did|can|could|would|should|has|have|will|be|seems?)(?:n't| not|not|n't)`,
	`(?:cannot|can't)`, `(?:this|that|it)?'s not (?:it|right|correct|true|quite right)(?:$|[^\pL])`,
	`(?:wrong|incorrect|false|invalid|ruled out|eliminated|excluded|impossible|implausible|unlikely|discarded|out of the question|inconsistent|contradict|mistaken|mistake|error|nonsense|no answer|no sense|no good|comes closest|untrue|fails?)(?:$|[^\pL])`,
	`out(?:$|[^\pL ]| (?:because|as|since|for|and|too)\b)`, ` (?:- |: )?no(?:$|[.\n,;])`, `❌`, `✗`,
	`(?:falsch|inkorrekt|nicht|ausgeschlossen|unmöglich|scheidet aus)`,
	`(?:incorrect|fals[oa]|equivocad|errónea|no es|descartad|imposible)`,
	`(?:fausse|faux|incorrecte|n'est pas|ne convient pas|exclue)`,
	`(?:sbagliat|errat|fals[oa]|non è|scorrett|incorrett)`, `(?:errad|incorret|fals[oa]|não é)`,
	`(?:错误|錯誤|不正确|不正確|不对|不對|错的|不成立|排除)`, `(?:ではな|ではあり|じゃな|でない|思いません|思わない|間違|誤り|不正解|除外|違い)`,
	`(?:아닙|아니|아닌|생각하지 않|틀렸|틀린|틀리|제외)`, `(?:неверн|неправильн|не подход|не явля|ошибочн|исключ)`,
	`(?:خطأ|خاطئ|غير صحيح|ليست|ليس)`, `(?:गलत|नहीं|ग़लत)`,
	`(?:değil|yanlış|błędn|nieprawidłow|nesprávn|není|greșit|helytelen|väärin|λάθος|שגוי|ผิด|ไม่ถูก|نادرست|نیست|ভুল|নয়|salah)`,
}

// hedges leave open what a clause names.
var hedges = rules{
	`(?:might|may|maybe|perhaps|possibly|possible|possibility|could|potentially|plausible|conceivabl\pL+|presumably|arguably)(?:$|[^\pL])`,
	`(?:not|\pL*n't|un|far from|anything but|by no means)[ -]?(?:been |yet |entirely |fully |completely |quite |too |so |really |at all |100% |that )?(?:sure|certain|confident|clear|convinced|decided|obvious|evident|proven|established|settled)(?:$|[^\pL])`,
	`(?:torn|undecided|toss-?up|lean|leaning|depends|ambiguous|tempted|inclined|tentative\pL*|debatable|defended|either|neither|between|one of|probability|chance|candidates are)(?:$|[^\pL])`, `(?:hard|difficult|impossible) to (?:say|tell|choose|decide|know)`, `(?:unlikely|doubt|doubts|doubtful|suspect)(?:$|[^\pL])`, `(?:no|not enough|insufficient|little) (?:evidence|reason|proof|information|grounds|sign|indication)`, `nothing (?:suggests|shows|says|proves)`,
	`(?:first|initial) (?:thought|guess|impression|idea)`, `at first(?: glance)?`, `initially`,
	`[1-4]?\d ?% (?:sure|certain|confident|likely)`, `seem(?:s|ed)? plausible`, `as in`, `no longer`,
	`otherwise|sonst`, `hesitat|reluctan`, `not necessarily`,
	`not the case`,
	`(?:vielleicht|möglicherweise|könnte|eventuell|womöglich|unsicher|nicht sicher|eher|entweder|zwischen|denkbar)`,
	`nicht (?:klar|erwiesen|eindeutig)`, `nicht fest`,
	`(?:no|non|não)(?: est[áa]| es| è| é)? (?:del todo |totalmente )?(?:clar[oa]|chiaro|evidente|cert[oa]|ovvio|obvi[oa]|óbvi[oa])(?:$|[^\pL])`,
	`pas (?:clair|évident|certain)(?:$|[^\pL])`,
	`(?:podría|quizás?|tal vez|posiblemente|puede ser|no estoy segur|entre|a lo mejor)`,
	`(?:peut-être|pourrait|possiblement|pas sûr|il se peut|entre|soit)`,
	`(?:forse|potrebbe|può darsi|possibilmente|non sono sicur|tra)(?:$|[^\pL])`,
	`(?:talvez|pode ser|poderia|possivelmente|não tenho certeza|entre)`,
	`(?:misschien|może|być może|albo|nie jestem pew|mungkin|belki|olabilir|emin değil|có thể|kanske|kanskje|måske|možná|možno(?:$|[^\pL])|talán|poate|ehkä|ίσως|μπορεί|ייתכן|אולי|อาจ|ไม่แน่ใจ|شاید|ممکن است|হয়তো|можливо|може бути)`, `🤷|🤔|😕`,
	`(?:可能|也许|或许|大概|不确定|不太确定|说不定|也許|或許)`, `(?:かもしれ|おそらく|たぶん|可能性|わかりません|わからない|思われ)`, `(?:일 수도|수 있|아마|모르겠|확실하지)`,
	`(?:возможно|может быть|наверное|вероятно|не уверен|не ?(?:ясно|очевидно|факт))`,
	`(?:ربما|قد (?:تكون|يكون)|لست متأكد)`,
	`(?:शायद|हो सकता|संभवतः|पक्का नहीं)`,
}

// guesses are hedges that a claim may have.
var guesses = rules{`(?:probably|likely|most likely|i guess|i suppose|seems?|appears?|wahrscheinlich|probablemente|probablement|probabilmente|provavelmente)(?:$|[^\pL])`, `(?:应该是|大概是)`, `아마`}

// suppositions are what is only supposed or asked.
var suppositions = rules{
	`(?:(?:check\w*|verif\w*) by|if|whether|suppose|supposing|assume|assuming|unless|were it|had it|what if|in case|provided that|before|until|consider|considering|let us look|let's look|look at|check|imagine|evaluate|think about|thinking about|next|format|e\.g\.|for example|for instance|such as|would write|end with|a sample|the instructions|asked|i thought|used to (?:think|believe|say|hold)|compare)(?:$|[^\pL])`,
	`(?:wenn|falls|ob|angenommen)(?:$|[^\pL])`, `(?:^|[^\pL])(?:si|se)(?:$|[^\pL'])`,
	`(?:supongamos|supposons|supponiamo|suponha)`, `(?:如果|假设|假如|若|是否|假定)`, `(?:もし|かどうか|仮に|ならば|なら)`, `(?:만약|라면|인지)`,
	`(?:если|допустим|предположим)`, `(?:إذا|لو كان|هل)`, `(?:अगर|यदि|क्या)`, `(?:als|jeśli|eğer|jika|nếu)(?:$|[^\pL])`,
}

// others are what another one says.
var others = rules{
	`(?:agents?|experts?|peers?|participants?|debaters?|players?)(?: ?(?:#? ?\d+|[a-z]))?(?:'s?)?(?:$|[^\pL])`,
	`(?:(?:the |all |most |many |some )?others?|they|their|theirs|he|she|his|her|someone|somebody|some|many|people|critics|your?)(?:'s?)? ?(?:own |other |last |final |previous |first )*(?:agents?|answers?|solutions?|responses?|people|votes?|choices?|arg\pL+|say|says|said|think|thinks|thought|chose|choose|chosen|pick\pL*|answer(?:ed|s)|claim\pL*|wrote|believe\pL*|went|go|voted|suggest\pL*|might|may|would|select\pL*|prefer\pL*)`,
	`according to`, `(?:naive|trap|tempting|wrong|popular) (?:answer|choice|option|result|guess)(?:$|[^\pL])`,
	`(?:your|their|his|her|last \pL+'s) (?:answer|result|total|number)(?:$|[^\pL])`,
	`(?:previous|earlier|former|prior|old|initial|original|first|second)(?: \pL+)? (?:answers?|solutions?|choice|votes?|response|proposal|result|guess|estimate|calculation|attempt|draft)`,
	`in (?:the |my )?(?:last|previous|earlier|first) (?:round|turn|answer|solution)`,
	`(?:everyone|everybody|majority|most|all|agents)(?: \pL+)? (?:say|says|said|chose|choose|pick|picked|went|voted|think|thinks)`,
	`(?:they|he|she|others|who) (?:say|says|said|chose|picked|thinks?|voted|went)`,
	`(?:agent(?:en)?|agente|agenti|l'agent|agentes)(?: ?\d+)?(?:$|[^\pL])`,
	`(?:laut|selon|según|secondo|segundo|согласно)(?:$|[^\pL])`, `(?:智能体|代理|其他人|别人|他们|他|她|有人)\s*\d*`, `エージェント`,
	`さん(?:は|の|が|も)`, `에이전트`,
	`агент`, `الوكيل`, `एजेंट`,
	// the text's own of before
	`(?:my (?:\pL+ )?(?:answer|choice|vote|pick|guess|estimate|result|total|calculation)|mine) was`,
	`(?:zuvor|vorher|zuerst|anfangs|ursprünglich|in der (?:letzten|ersten) runde|erste (?:antwort|wahl))(?:$|[^\pL])`,
	`(?:al principio|en la (?:ronda anterior|primera ronda)|primera respuesta|inicialmente)(?:$|[^\pL])`,
	`(?:auparavant|initialement|au (?:premier|dernier) tour|première réponse|inizialmente|in precedenza|prima (?:avevo|ho)|tinha)(?:$|[^\pL])`,
	`(?:раньше|ранее|сначала|в прошлом раунде)(?:$|[^\pL])`,
	`(?:之前|上一轮|上輪|先前|原先|起初|一开始|曾经|最初|前回|以前は|先ほど)`, `(?:처음|이전|아까)`, `كنت`, `पहले`,
	// a group's figures
	`(?:the )?others (?:are|were|average|range)`,
	`group(?:'s)? (?:mean|average|median|estimate)`,
	`(?:mean|average|median) (?:of|among) (?:the |all )?(?:other|group|agent|rest|panel)`,
	// places behind the first
	`(?:2nd|3rd|[4-9]th|second|third|fourth|fifth|last|next|runner-up|backup|fallback|alternative|secondary)(?:[ -]best)? (?:choice|preference|pick|guess|option|place)s?(?:$|[^\pL])`,
	`(?:runner-up|backup|fallback|alternative|secondary) answers?(?:$|[^\pL])`,
}

// agreements make what another one says the text's own.
var agreements = rules{`(?:i|we) (?:fully |completely |strongly |still |also |must |have to )*(?:agree|concur|side|join)(?:$|[^\pL])`, `(?:is|are|was|were) (?:right|correct)`, `unlike`, `here(?:'s| is| are) my`, `(?:has|have) (?:now )?convinced (?:me|us)`, `was (?:` + answerRune + ` )?and (?:still )?(?:is|remains|stays)`,
	`(?:如|和|与|跟|同|根据|按照|基于|坚持|保持|维持|沿用)[^。，,]{0,6}(?:之前|上一轮|上輪|先前|原先|起初|最初|前回)`,
	`wie (?:zuvor|vorher|in der (?:letzten|ersten) runde)`, `(?:como|igual que) en la (?:ronda anterior|primera ronda)`,
	`comme au (?:premier|dernier) tour`, `(?:mantengo|je maintiens)`, `mich überzeugt`, `m'a convaincue?`, `说服了我`, `according to me`, `(?:first|1st|top|primary|main) (?:choice|preference|pick)\s*:`, `(?:stimme|schließe mich)`, `(?:estoy de acuerdo|coincido|d'accord|sono d'accord|concordo|согласен|согласна)`, `同意`, `賛成|同意`, `동의`, `أوافق`, `सहमत`}

// declines are sentences that give no answer.
var declines = rules{
	`(?:i|we)(?: simply| really| just)? (?:can ?not|can't|cannot|am unable to|are unable to|could not|couldn't)(?: possibly| really)? (?:answer|determine|decide|tell|say|choose|know|help|provide|do)`, `(?:i|we)(?: must| have to)?(?: respectfully| politely)? (?:won't|will not|refuse to|decline to|am not able to|'m not able to)(?: answer| pick| choose| vote| compute| give| solve| take| say| tell| name| provide| do)?(?:$|[^\pL])`, `picks? no (?:letter|option|answer)`, `(?:i|we) (?:do not|don't) (?:really )?know`, `none of (?:the|these|those|them)`, `(?:need|lack|without) (?:more|further|enough) (?:information|context|data|details)`, `(?:there is|there's|has) no (?:correct |right |clear )?(?:answer|option)`, `no (?:idea|opinion|information)`, `(?:i|we) have no way (?:of|to)`, `not what (?:was|is|you) ask`,
	`ich weiß (?:es )?nicht`, `no (?:lo )?sé`, `je ne sais pas`, `non (?:lo )?so`, `não sei`,
	`(?:我)?不知道|无法(?:确定|回答|判断)`, `わかりません|分かりません`, `모르겠`, `не знаю`, `لا أعرف|لا أعلم`, `नहीं पता|पता नहीं`,
}

// withdrawals after a statement take it back.
var withdrawals = rules{
	`(?:i|we)(?:'m| am| are| really| still| just)* (?:can ?not|can't|could not|couldn't|unable to)(?: really| yet)? (?:give|commit|settle|make up|decide)`,
	`no longer (?:think|believe|hold|sure|certain|convinced)[^.!?\n` + answerRange + `]*(?:$|[.!?\n])`,
	`(?:not|\pL*n't) (?:so |that |really |quite )?(?:sure|certain|convinced) (?:any ?more|any longer|now)`,
	`(?:going|go) back and forth`, `(?:i am|i'm|we are|we're) (?:stuck|at a loss)`,
	`(?:need|want)(?: to see)? (?:more|further) (?:evidence|time|information|details) before`,
}

// retractions take back what was said right before them.
var retractions = rules{
	`(?:(?:however|but|no|therefore|so|hence|thus|hmm+|oh|wait|actually|hold on|on second thought)[,. ]+)*(?:this|that|it|the)(?: (?:answer|option|choice|solution|one))?(?: (?:above|here))?(?:'s| (?:is|was|seems|cannot be|can't be|must be|isn't|would be))(?: (?:not|also|clearly|in fact|actually))* (?:wrong|incorrect|false|mistaken|correct|right|true|it|the answer|the case(?:$|[^\pL ]))`,
	`no[,. ]+(?:this|that|it)(?:'s| is| was)?(?:n't| not)\W*$`,
}

// secondThoughts after a statement in a text that was cut off may have led elsewhere.
var secondThoughts = rules{`(?:but |oh |no,? )?wait(?:$|[^\pL])`, `hmm`, `on second thought`,
	`let me (?:reconsider|re-?check|double-?check|re-?think)`, `actually,`, `etwas anderes|moment mal`, `等等|等一下`}

// fillers may stand between a claim and its answer.
var fillers = `(?:[\s"'` + boldOn + boldOff +
	`:=(\[{<>→≈~$€£—–-]|,? ?(?:of course|i think|i believe|i would say|therefore|thus|then|indeed|clearly|definitely|certainly|obviously|simply|still|now|likely|probably|most|that|it is|it's|it must be|is|are|be|has to be|should be|must be|for|with|on|to|both|my|own|answer|also|only|again|actually|really|in fact|indeed)[,\s:]+|(?:the|an?|options?|choices?|letters?|number|numbers|#|candidates?|solutions?|proposals?|answers?|statement|clear|definite|resounding|firm|emphatic|simple|correct|right|(?:about|approximately|roughly|around|exactly|just|a total of|equal to)|der|die|das|lösung|antwort|buchstabe|opci[oó]n|la|el|letra|l'option|l'|le|lettre|opzione|lettera|réponse|respuesta|risposta|resposta|a|o|alternativa|opção|option|вариант|это|الخيار|विकल्प|opcj[ęa]|odpowiedź|rozwiązanie|seçenek|şık|seçeneği|گزینه|varianta|variantul|možnost|optiunea|opțiunea|vaihtoehto|η|ข้อ|ตัวเลือก|ה|ב-|lựa chọn|phương án|해결책|보기|선택지|选项|選項|方案|選択肢|第)(?:[\s"':]+|$|` + boldOn + `)?|[a-z] ?= ?|[a-z]\) )*`

// connections join the members of a list; alternatives leave open which one.
var (
	connections = newPattern(`(?i)^[\s"'` + boldOn + boldOff +
		`,;/&、+()]*(?:(?:and|or|nor|to|bis|hasta|à|até|до|至|到|und|oder|y|e|et|o|ou|и|или|ni|né|nem|ни|en|и|和|与|與|及|或|と|か|과|와|또는|그리고|أو|و|और|या)[\s"'` + boldOn + `]*)?(?:(?:also )?(?:options?|choices?|solutions?|candidates?|lösung|opción|选项)\s*)?$`)
	alternatives = newPattern(`(?i)^[\s"'` + boldOn + boldOff +
		`,()]*(?:(?:or|oder|o|ou|или|أو|या|또는|或|か|/|to|bis|hasta|à|até|до|至|到|vs\.?|versus|lub|of)[\s"']*|/\s*)(?:also |even |maybe |perhaps |possibly )*(?:options?|choices?|solutions?|candidates?)?[\s"']*$|^\|$`)
)

// breaks end a clause.
var breaks = newPattern(`(?i)[;:—]|[,，]|\s(?:but|yet|however|although|though|while|whereas|because|since|as|so|which|aber|sondern|weil|denn|pero|sino|porque|aunque|mais|car|perché|mas|но|потому)\s|(?:但是|但|因为|所以|而不是|而是|ではなく|아니라|하지만)|\s(?:لكن|لأن)|\s(?:लेकिन|क्योंकि)\s`)

// rules are alternatives of a grammar.
type rules []string

// compileRules returns an expression that matches one of the rules at the beginning of a word.
func (r rules) compileRules(prefix, suffix string) *pattern {
	return newPattern(`(?i)` + prefix + `(?:` + strings.Join(r, "|") + `)` + suffix)
}

const wordStart = `(?:^|[^\pL\pN]|\p{Han}|\p{Hiragana}|\p{Katakana}|\p{Hangul})`

var (
	claimed = claims.compileRules(wordStart, fillers+answerGroup)
	opening = newPattern(`(?i)^[\s"'` + boldOn +
		`>#\[-]*(?:\d+\. )?(?:answer|ans\.?|antwort|respuesta|réponse|risposta|resposta|answers|ответ|答案|उत्तर)[\s"':.\]` + boldOn + boldOff + `]*(?:option |choice )?` + answerGroup)
	concluded = conclusions.compileRules(wordStart, fillers+answerGroup)
	ordered   = newPattern(`(?i)^[\s"'` + boldOn +
		`>#-]*(?:(?:so|therefore|thus|hence|then|please|now|finally|just)[, ]+)*(?:choose|pick|select|mark|circle|settle on)` + fillers + answerGroup + `(?:[\s,]*(?:and |& )?` + answerRune + `)*[\s"')\]` + boldOff + `]*(?:$|[.!\n]|(?: as (?:the|my|our|your)|,? because|,? since)\s)`)
	corrected = corrections.compileRules(wordStart,
		fillers+answerGroup+`["')\]`+boldOff+`]*(?:$|[.,;!\n]|\s*[+*/×=-])`)
	regretted = regrets.compileRules(wordStart, ``)
	endorsed  = endorsements.compileRules(`^["'`+boldOff+`)]*`, ``)
	denied    = denials.compileRules(wordStart,
		`(?:\s+(?:be|the|an?|option|options|choice|answer|simply|necessarily|just|either|la|el|die|opción|option|по|вариант|with|with option|for|be the|be option|is|agent \d+, who (?:chose|says|said)))*[\s"'$`+boldOn+`(]*$`)
	rejected    = rejections.compileRules(`(?:`+wordStart+`|n't)`, ``)
	hedged      = hedges.compileRules(wordStart, ``)
	guessed     = guesses.compileRules(wordStart, ``)
	supposed    = suppositions.compileRules(wordStart, ``)
	quoted      = others.compileRules(wordStart, ``)
	agreed      = agreements.compileRules(wordStart, ``)
	disagreed   = newPattern(`(?i)disagree|nicht einverstanden|desacuerdo|不同意|не согла`)
	declined    = declines.compileRules(wordStart, ``)
	retracted   = retractions.compileRules(`^\W*`, ``)
	withdrawn   = withdrawals.compileRules(wordStart, ``)
	reconsiders = secondThoughts.compileRules(wordStart, ``)
	withoutBut  = newPattern(`(?i)\b(?:no|without (?:a|any)|beyond) (?:reasonable )?doubts?\b|undoubtedly|none of the other|(?:i|we) (?:have )?no doubt|(?:nobody|no one)(?: would| could| can| will)? doubts?|only (?:options? |choice )?` + answerRune + ` is possible|most (?:plausible|likely|probable|possible)|without (?:any )?hesitation|after all`)
)
