// Templates for common questions, each with a sample file that can be used at once.
import { texts } from '../texts.ts'

export interface Template {
  name: string
  question: string
  /** Markdown. */
  instructions: string
  classes: string[]
  /** Whether the answers have an order. */
  ordered: boolean
  fileName: string
  /** CSV with the columns that items of this kind have, some with a known answer. */
  sample: string
}

type Words = Omit<Template, 'instructions' | 'ordered' | 'fileName' | 'sample'> & { instructions: string[] }

function make(words: Words, ordered: boolean, fileName: string, sample: string): Template {
  return { ...words, instructions: words.instructions.join('\n'), ordered, fileName, sample }
}

const kReviews = `id,text,gold
s1,"Arrived on time and works as described. I would buy it again.",positive
s2,"Stopped working after two weeks, and nobody answers my mails.",negative
s3,"It is the 500 ml version, in a white box.",neutral
s4,"Lovely colour, but the handle broke on the first day.",
s5,"Does what it should, no more and no less.",
s6,"Great, another charger that does not charge.",
s7,"My daughter uses it every day and will not give it back!",
s8,"Smaller than in the picture.",
s9,"For this price you cannot complain.",
s10,"The second one I bought is as good as the first.",
s11,"Instructions only in a language I cannot read.",
s12,"I had hoped for more, but it is all right for travelling.",
`

const kComments = `id,text,gold
c1,"Thank you, that solved it for me.",may stay
c2,"Call Mr Miller at home, his number is 555 0147, and tell him yourselves.",breaks the rules
c3,"This is the worst article you have ever printed.",may stay
c4,"You are too stupid to read, as always.",
c5,"Cheap watches, today only, see my profile!",
c6,"I disagree: the figures in the second table say the opposite.",
c7,"People from that town should not be allowed to drive.",
c8,"Can somebody explain the last paragraph?",
c9,"Say that again and you will regret it.",
c10,"Nonsense from start to end.",
c11,"I sell the same lamp for less, message me.",
c12,"The author lives in Mill Road, the house with the green door.",
`

const kResults = `id,query,result,gold
q1,waterproof hiking boots,"Trail boot with a waterproof membrane, ankle high, sizes 36 to 48",relevant
q2,waterproof hiking boots,"Polish for leather shoes, black, 75 ml",not relevant
q3,waterproof hiking boots,"Light trail running shoe, breathable, not waterproof",
q4,usb c charger 65w,"Wall charger with two USB-C ports, 65 W in total",
q5,usb c charger 65w,"USB-C cable, 2 m, up to 100 W",
q6,usb c charger 65w,"Car charger, USB-A, 12 W",
q7,gluten free bread,"Rice and buckwheat bread, gluten free, sliced",
q8,gluten free bread,"Baking mix for wheat rolls",
q9,gluten free bread,"Crackers without gluten, with rosemary",
q10,desk lamp dimmable,"LED desk lamp with five levels of brightness",
q11,desk lamp dimmable,"Replacement bulb E27, dimmable",
q12,desk lamp dimmable,"Floor lamp, dimmable, with a reading arm",
`

const kPairs = `id,first,second,gold
p1,"Aria coffee maker, 1.2 l, black","ARIA Coffee Maker black (1,2 litres)",same
p2,"Aria coffee maker, 1.2 l, black","Aria coffee maker, 1.2 l, red",different
p3,"Garden hose 20 m, 1/2 inch","Hose for the garden, half inch, 20 metres",
p4,"Printer paper A4, 80 g, 500 sheets","Printer paper A4, 80 g, 5 x 500 sheets",
p5,"Nordlys LED bulb E27 8 W warm white","Nordlys bulb, E27, 8 watts, 2700 K",
p6,"Kids bicycle 16 inch, blue","Children's bike, 16"", blue, with bell",
p7,"Wool socks, grey, 39-42","Wool socks, grey, 43-46",
p8,"Olive oil extra virgin 750 ml","Extra virgin olive oil, bottle of 0.75 l",
p9,"Backpack Tramp 30","Backpack Tramp 30+5",
p10,"Wall clock, silent, 30 cm","Quiet wall clock with a diameter of 30 cm",
`

const words = texts.requester.wizard.templates
export const kTemplates: Template[] = [
  make(words.sentiment, true, 'sentiment.csv', kReviews),
  make(words.moderation, false, 'moderation.csv', kComments),
  make(words.relevance, true, 'relevance.csv', kResults),
  make(words.duplicates, false, 'duplicates.csv', kPairs),
]
