import { numbersIn } from './count.ts'
import type { label } from './label.ts'

const { counted } = numbersIn('de')

const askAgain = 'Bitten Sie die Person, die ihn geschickt hat, um einen neuen.'

/** The worker's page in German. */
export const labelDe: typeof label = {
  title: (campaign) => `${campaign}: Antworten`,
  defaultQuestion: 'Welche Antwort ist richtig?',
  answers: 'Antworten',
  item: 'Aufgabe',
  skip: 'Überspringen',
  report: 'Passt keine Antwort?',
  reportTitle: 'Woran liegt es?',
  reportHint: 'Danach erscheint die nächste Aufgabe. Der Auftraggeber liest, was Sie schreiben.',
  reasons: {
    none: 'Keine Antwort passt',
    several: 'Mehrere Antworten passen',
    unsure: 'Ich weiß es nicht',
    unclear: 'Ich verstehe die Aufgabe oder die Frage nicht',
    broken: 'Etwas fehlt oder lädt nicht',
    other: 'Ein anderer Grund',
  },
  note: 'Bemerkung, freiwillig',
  sendReport: 'Senden und überspringen',
  examples: 'Beispiele',
  undo: 'Zurück',
  keep: 'Dabei bleiben',
  instructions: 'Anleitung',
  help: 'Hilfe',
  start: 'Los geht’s',
  backToWork: 'Zurück zur Aufgabe',
  shortcuts: 'Tasten',
  skipKey: 'diese Aufgabe überspringen',
  undoKey: 'die letzte Antwort ändern',
  playKey: 'den Ton abspielen oder anhalten',
  helpKey: 'diese Hilfe öffnen oder schließen',
  useShortcuts: 'Mit einzelnen Tasten antworten',
  language: 'Sprache',
  answered: (n) => counted(n, 'Antwort', 'Antworten'),
  earned: (amount) => `${amount} verdient`,
  pays: (amount) => `bringt ${amount}`,
  loading: 'Die nächste Aufgabe wird geladen …',
  secondsLeft: (n) => `Noch ${counted(n, 'Sekunde', 'Sekunden')} für diese Aufgabe.`,
  revising: (answer) => `Ihre Antwort war „${answer}“. Wählen Sie noch einmal, oder bleiben Sie dabei.`,
  offline: 'Keine Verbindung zum Server.',
  offlineWaiting: (n) =>
    `Keine Verbindung. ${counted(
      n,
      'Antwort ist auf diesem Gerät gespeichert und wird gesendet',
      'Antworten sind auf diesem Gerät gespeichert und werden gesendet',
    )}, sobald die Verbindung wieder steht.`,
  offlineEmpty:
    'Sie haben alle Aufgaben auf diesem Gerät beantwortet. Weitere erscheinen, sobald die Verbindung wieder steht.',
  notices: {
    late: 'Eine Antwort zählt nicht: Die Zeit war abgelaufen, und diese Aufgabe braucht keine Antworten mehr.',
    latePaused: 'Eine Antwort zählt nicht: Die Zeit war abgelaufen. Die Kampagne pausiert jetzt.',
    repeated:
      'Eine Antwort zählt nicht: Sie hatten diese Aufgabe schon beantwortet oder übersprungen. Ihre erste Wahl gilt.',
    ended: 'Eine Antwort zählt nicht: Die Kampagne endete, bevor sie ankam.',
    lateChange: 'Diese Antwort lässt sich nicht mehr ändern. Ihre erste Antwort gilt.',
    endedChange: 'Die Kampagne ist beendet, daher lässt sich diese Antwort nicht mehr ändern. Ihre erste Antwort gilt.',
    timeout: 'Die Zeit für diese Aufgabe ist abgelaufen. Hier ist die nächste.',
    noUndo: 'Hier geht es nicht zurück. Nur die letzte Antwort lässt sich ändern, und nur für kurze Zeit.',
    otherTab: 'Diese Aufgabe haben Sie in einem anderen Tab beantwortet.',
  },
  thanks: 'Vielen Dank!',
  nothingYet: 'Noch nichts zu tun',
  nothingNow: 'Im Moment gibt es für Sie nichts zu tun. Sobald es weitergeht, erscheint hier die nächste Aufgabe.',
  paused: 'Pause',
  pausedHint: 'Die Kampagne pausiert. Sobald sie weiterläuft, erscheint hier die nächste Aufgabe.',
  ended: 'Die Kampagne ist beendet. Sie können diese Seite schließen.',
  total: (n, earned) =>
    `Sie haben ${counted(n, 'Antwort', 'Antworten')} gegeben${earned === null ? '' : ` und ${earned} verdient`}.`,
  refusedTitle: 'Dieser Link funktioniert nicht',
  refusals: {
    bad_token: `Er wurde gesperrt, oder ein Teil davon fehlt. ${askAgain}`,
    no_token:
      'Ein Teil davon fehlt: Ein vollständiger Link endet mit # und einem langen Code. Öffnen Sie ihn genau so, wie Sie ihn bekommen haben.',
    wrong_role: `Er gehört zu einer anderen Kampagne. ${askAgain}`,
  },
  refusedOther: askAgain,
  imageFailed: 'Das Bild konnte nicht geladen werden. Wenn Sie es zum Antworten brauchen, überspringen Sie diese Aufgabe.',
  audioFailed: 'Der Ton konnte nicht geladen werden. Wenn Sie ihn zum Antworten brauchen, überspringen Sie diese Aufgabe.',
  image: (name) => `Bild: ${name}`,
  audio: (name) => `Ton: ${name}`,
  enlarge: 'In voller Größe zeigen',
}
