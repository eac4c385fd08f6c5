import { mount } from 'svelte'
import '../look/theme.css'
import { applyTheme } from '../look/theme.ts'
import { accountFor } from '../label/account.ts'
import { texts } from '../texts.ts'
import ReviewPage from './ReviewPage.svelte'

applyTheme()
const target = document.getElementById('app')
if (target) {
  const account = await accountFor(location, () => (target.textContent = texts.label.offline))
  target.textContent = ''
  mount(ReviewPage, { target, props: { account } })
}
