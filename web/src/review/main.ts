import { mount } from 'svelte'
import '../look/theme.css'
import { applyTheme } from '../look/theme.ts'
import ReviewPage from './ReviewPage.svelte'

applyTheme()
const target = document.getElementById('app')
if (target) mount(ReviewPage, { target })
