import { counted } from './count.ts'

/** Labels that were given elsewhere. */
export const importLabels = {
  title: 'Labels that you already have',
  hint: 'A file with one label per row and the columns item, worker and label. They cost nothing and count like any others.',
  choose: 'File of labels',
  missingColumns: (columns: string) => `The file needs these columns: ${columns}.`,
  noLabels: 'No row has an item, a worker and a label.',
  notText: 'This is not a text file. Save the labels as CSV and choose that file.',
  sending: (sent: number, all: number) => `Sending … ${sent} of ${all}`,
  result: (recorded: number, already: number, refused: number) =>
    `${counted(recorded, 'label', 'labels')} imported, ${already} already there, ${refused} refused.`,
}
