import type { account } from './account.ts'

/** account.ts in German. */
export const accountDe: typeof account = {
  title: 'Ihre Kampagnen',
  signedInAs: (person) => `Angemeldet als ${person}`,
  signIn: (provider) => `Anmelden mit ${provider}`,
  signOut: 'Abmelden',
  signInTitle: 'Anmelden',
  signInHint: 'Melden Sie sich mit Ihrem Konto an, um Ihre Kampagnen zu sehen.',
  noAccounts: 'Dieser Server hat keine Konten. Öffnen Sie den Link, den Sie bekommen haben.',
  signedOutTitle: 'Bitte melden Sie sich an',
  signedOut: 'Melden Sie sich mit Ihrem Konto an. Antworten, die auf diesem Gerät warten, werden danach gesendet.',
  reload: 'Laden Sie diese Seite neu, um sich anzumelden. Antworten, die auf diesem Gerät warten, werden danach gesendet.',
  refusedTitle: 'Sie können sich nicht anmelden',
  refused: 'Dieser Server lässt Sie nicht ein. Fragen Sie die Personen, die ihn betreiben.',
  notNamedTitle: 'Diese Kampagne ist für Sie nicht offen',
  askToAdd: (person) => `Bitten Sie die Person, die die Kampagne leitet, ${person} hinzuzufügen.`,
  none: 'Noch keine Kampagnen',
  roles: { worker: 'Sie beantworten Fragen', reviewer: 'Sie prüfen Antworten' },
  start: 'Beginnen',
  startOf: (campaign) => `${campaign} beginnen`,
  requester: 'Kampagnen verwalten',
  loading: 'Lädt …',
}
