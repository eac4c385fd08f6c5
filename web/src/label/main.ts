import { mount } from 'svelte'
import '../look/theme.css'
import { applyTheme } from '../look/theme.ts'
import LabelPage from './LabelPage.svelte'
import { language } from './language.svelte.ts'

applyTheme()
language.start()
const target = document.getElementById('app')
if (target) mount(LabelPage, { target })
