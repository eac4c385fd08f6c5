// What a button or a form does: whether it is under way, and why it failed.
import { session } from './session.svelte.ts'

export class Action {
  busy = $state(false)
  /** The reason why the last attempt failed; null after a success. */
  trouble = $state<string | null>(null)

  /** Does `work`, unless something is under way already. */
  async run(work: () => Promise<unknown>): Promise<void> {
    if (this.busy) return
    this.busy = true
    this.trouble = null
    try {
      await work()
    } catch (error) {
      this.trouble = session.explain(error)
    } finally {
      this.busy = false
    }
  }
}

/** Dialogs of a page, one open at a time, and what their buttons do. */
export class DialogActions<Name extends string> extends Action {
  open = $state<Name | null>(null)

  show(dialog: Name): void {
    this.trouble = null
    this.open = dialog
  }

  readonly close = (): void => {
    this.open = null
  }

  /** Does `work` and closes the dialog; then `after`. A dialog whose work failed stays open and shows why. */
  act(work: () => Promise<unknown>, after: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    return this.run(async () => {
      await work()
      this.open = null
      await after()
    })
  }
}
