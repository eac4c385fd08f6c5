import { mount } from 'svelte'
import { language } from '../label/language.svelte.ts'
import '../look/theme.css'
import { applyTheme } from '../look/theme.ts'
import WorkPage from './WorkPage.svelte'

applyTheme()
language.start()
const target = document.getElementById('app')
if (target) mount(WorkPage, { target })
