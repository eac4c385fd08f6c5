import { numbersIn } from './count.ts'
import type { join } from './join.ts'

const { counted } = numbersIn('de')

/** The page of participants in German. */
export const joinDe: typeof join = {
  loading: 'Wird geladen …',
  offline: 'Keine Verbindung zum Server.',
  crowded: 'Im Moment kommen zu viele Menschen gleichzeitig. Versuchen Sie es in einer Minute noch einmal.',
  retry: 'Noch einmal versuchen',
  amount: (n) => `Sie beantworten bis zu ${counted(n, 'Frage', 'Fragen')}.`,
  pay: (amount) => `Jede Antwort bringt ${amount}.`,
  duration: (minutes) => `Andere brauchten etwa ${counted(minutes, 'Minute', 'Minuten')}.`,
  qualification: (n) =>
    `Davor ${counted(n, 'Frage, die zeigt', 'Fragen, die zeigen')}, ob die Aufgabe zu Ihnen passt.`,
  rehearsal: 'Vorschau für den Auftraggeber: Nichts wird gespeichert. Laden Sie die Seite neu, um von vorn zu beginnen.',
  rehearsalEnd: {
    title: 'Ende der Vorschau',
    text: 'Nichts wurde gespeichert. Teilnehmende würden jetzt lesen:',
    returns: 'Nach fünf Sekunden oder mit „Jetzt zurück“ kehren Teilnehmende zur Plattform zurück.',
    pastes: 'Teilnehmende fügen den Code auf der Plattform ein.',
    submits: 'Teilnehmende senden die Aufgabe hier an MTurk ab.',
  },
  preview: 'Dies ist eine Vorschau. Nehmen Sie die Aufgabe an, um zu beginnen.',
  consentTitle: 'Ihre Einwilligung',
  defaultConsent:
    'Die Teilnahme ist freiwillig. Ihre Antworten werden unter der Kennung gespeichert, die Sie von der Plattform haben.',
  agree: 'Ich bin einverstanden. Los geht’s',
  left: (n) => `Noch ${counted(n, 'Frage', 'Fragen')}`,
  test: (n, all) => `Prüfung ${n} von ${all}`,
  checking: 'Ihre Antwort wird geprüft …',
  right: (answer) => `Richtig: „${answer}“.`,
  wrong: (yours, answer) => `Nicht richtig. Ihre Antwort war „${yours}“; richtig ist „${answer}“.`,
  next: 'Weiter',
  outcomes: {
    done: { title: 'Vielen Dank!', text: () => 'Sie haben alle Fragen beantwortet. Ihre Antworten sind gespeichert.' },
    'screened-out': {
      title: 'Danke für den Versuch',
      text: () =>
        'Zu wenige Ihrer ersten Antworten stimmen mit den bekannten überein. Es gibt keine weiteren Fragen für Sie.',
    },
    'no-work': {
      title: 'Vielen Dank!',
      text: (answered) =>
        answered === 0
          ? 'Für Sie sind keine Fragen mehr übrig. Sie werden trotzdem bezahlt: Nehmen Sie diesen Code mit zurück.'
          : `Sie haben ${counted(answered, 'Frage', 'Fragen')} beantwortet, mehr gibt es für Sie nicht. Sie werden trotzdem bezahlt: Nehmen Sie diesen Code mit zurück.`,
    },
    incomplete: {
      title: 'Keine weiteren Fragen',
      text: (answered, of) =>
        `Sie haben ${answered} von ${counted(of, 'Frage', 'Fragen')} beantwortet und den Rest übersprungen. Der Auftraggeber prüft die Sitzung, bevor er zahlt.`,
    },
  },
  code: 'Ihr Abschluss-Code',
  copy: 'Code kopieren',
  copied: 'Kopiert',
  submit: 'Absenden',
  returnNow: 'Jetzt zurück',
  paste: 'Fügen Sie den Code auf der Seite ein, von der Sie kommen. Danach können Sie diese Seite schließen.',
  returning: (n) => `Sie kommen in ${counted(n, 'Sekunde', 'Sekunden')} automatisch zurück.`,
  stay: 'Auf dieser Seite bleiben',
  tookPart: 'Sie haben schon teilgenommen',
  refusedTitle: 'Mit diesem Link können Sie nicht teilnehmen',
  fullTitle: 'Diese Studie nimmt niemanden mehr auf',
  full: 'Geben Sie Ihren Platz auf der Plattform zurück, damit er nicht gegen Sie zählt.',
  startedBefore: 'Ich habe schon angefangen: weiter',
  placeholderTitle: 'Diese Adresse ist für die Plattform',
  placeholder: (value) =>
    `Fügen Sie sie so, wie sie ist, auf der Plattform ein. Die Plattform ersetzt ${value} durch die Kennung jeder teilnehmenden Person. Von Hand geöffnet führt sie nirgendwohin.`,
  openPreview: 'Vorschau öffnen',
  noId: (name) => `In der Adresse fehlt Ihre Kennung (${name}). Öffnen Sie die Studie noch einmal von der Plattform aus.`,
  refusals: {
    not_found:
      'Der Link ist nicht vollständig, oder die Studie gibt es nicht. Öffnen Sie sie noch einmal von der Plattform aus.',
    conflict:
      'Ihre früheren Antworten sind gespeichert. Falls Sie noch nicht fertig sind, öffnen Sie die Studie mit der Adresse, mit der Sie angefangen haben.',
    forbidden:
      'Die Studie nimmt niemanden mehr auf, oder die Adresse wurde verändert. Geben Sie Ihren Platz auf der Plattform zurück.',
    rehearsal:
      'Nur der Auftraggeber der Kampagne kann die Vorschau öffnen. Melden Sie sich in diesem Browser auf seinen Seiten an und laden Sie diese Seite neu.',
    invalid_argument:
      'Die Kennung in der Adresse ist ungültig. Öffnen Sie die Studie noch einmal von der Plattform aus.',
  },
  refusedOther: 'Öffnen Sie die Studie noch einmal von der Plattform aus.',
}
