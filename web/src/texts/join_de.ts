import { numbersIn } from './count.ts'
import type { join } from './join.ts'

const { counted } = numbersIn('de')

/** The page of participants in German. */
export const joinDe: typeof join = {
  loading: 'Wird geladen …',
  offline: 'Keine Verbindung zum Server.',
  retry: 'Noch einmal versuchen',
  amount: (n) => `Sie beantworten bis zu ${counted(n, 'Frage', 'Fragen')}.`,
  pay: (amount) => `Jede Antwort bringt ${amount}.`,
  duration: (minutes) => `Andere brauchten etwa ${counted(minutes, 'Minute', 'Minuten')}.`,
  qualification: (n) =>
    `Davor ${counted(n, 'Frage, die zeigt', 'Fragen, die zeigen')}, ob die Aufgabe zu Ihnen passt.`,
  rehearsal: 'Vorschau für den Auftraggeber: Nichts wird gespeichert. Laden Sie die Seite neu, um von vorn zu beginnen.',
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
    done: { title: 'Vielen Dank!', text: 'Sie haben alle Fragen beantwortet. Ihre Antworten sind gespeichert.' },
    'screened-out': {
      title: 'Danke für den Versuch',
      text: 'Zu wenige Ihrer ersten Antworten stimmen mit den bekannten überein. Es gibt keine weiteren Fragen für Sie.',
    },
    'no-work': {
      title: 'Danke, dass Sie gekommen sind!',
      text: 'Im Moment sind alle Fragen beantwortet, für Sie bleibt nichts zu tun. Sie werden trotzdem bezahlt: Nehmen Sie diesen Code mit zurück.',
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
  noId: (name) => `In der Adresse fehlt Ihre Kennung (${name}). Öffnen Sie die Studie noch einmal von der Plattform aus.`,
  refusals: {
    not_found:
      'Der Link ist nicht vollständig, oder die Studie gibt es nicht. Öffnen Sie sie noch einmal von der Plattform aus.',
    conflict: 'Jede Person kann einmal teilnehmen. Ihre früheren Antworten sind gespeichert.',
    forbidden:
      'Die Studie nimmt niemanden mehr auf, oder die Adresse wurde verändert. Geben Sie Ihren Platz auf der Plattform zurück.',
    rehearsal:
      'Nur der Auftraggeber der Kampagne kann die Vorschau öffnen. Melden Sie sich in diesem Browser auf seinen Seiten an und laden Sie diese Seite neu.',
    invalid_argument:
      'Die Kennung in der Adresse ist ungültig. Öffnen Sie die Studie noch einmal von der Plattform aus.',
  },
  refusedOther: 'Öffnen Sie die Studie noch einmal von der Plattform aus.',
}
