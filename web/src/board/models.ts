// The form that starts language models: which go together, and what is wrong with it.
import type { ModelOffer, ModelRun } from '../api/model_types.ts'
import { texts } from '../texts.ts'

/** Whether a run goes on, so that no other can start. */
export const isGoing = (run: ModelRun | null): boolean => run?.state === 'running' || run?.state === 'stopping'

/** Seconds for which a request waits before the card says so. */
const kLongWait = 10

/** What a run that goes on does, as far as it is worth telling. */
export function activity(run: ModelRun): string[] {
  const t = texts.requester.models
  return [
    run.waits === null ? t.states[run.state] : t.waits(run.waits),
    ...(run.oldest_request_seconds >= kLongWait ? [t.oldest(run.oldest_request_seconds)] : []),
  ]
}

/** The chosen models after a click on one of them. A run has models of one endpoint. */
export function choose(offers: ModelOffer[], chosen: string[], model: string): string[] {
  if (chosen.includes(model)) return chosen.filter((name) => name !== model)
  const endpointOf = (name: string) => offers.find((offer) => offer.model === name)?.endpoint
  return [...chosen.filter((name) => endpointOf(name) === endpointOf(model)), model]
}

/** What keeps the form from starting; null if nothing does. */
export function startTrouble(chosen: string[], prompt: string, cap: string): string | null {
  const t = texts.requester.models
  if (chosen.length === 0) return t.noModel
  if (prompt.trim() === '') return t.noPrompt
  if (cap.trim() !== '' && !(/^\d+(\.\d{1,9})?$/.test(cap.trim()) && Number(cap) > 0)) return t.badCap(cap.trim())
  return null
}
