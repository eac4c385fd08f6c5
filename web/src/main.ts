import { mount } from 'svelte'
import App from './App.svelte'
import './look/theme.css'
import './look/requester.css'
import { applyTheme } from './look/theme.ts'

applyTheme()
const target = document.getElementById('app')
if (target) mount(App, { target })
