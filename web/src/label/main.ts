import { mount } from 'svelte'
import '../look/theme.css'
import { applyTheme } from '../look/theme.ts'
import { accountFor } from './account.ts'
import LabelPage from './LabelPage.svelte'
import { language } from './language.svelte.ts'
import { openSession } from './open_session.ts'

applyTheme()
language.start()
const target = document.getElementById('app')
if (target) {
  const account = await accountFor(location, () => (target.textContent = language.texts.label.offline))
  target.textContent = ''
  mount(LabelPage, { target, props: { opened: openSession(location, account) } })
}
