import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'
import svelteConfig from './svelte.config.js'

export default ts.config(
  { ignores: ['node_modules'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.browser, ...globals.node } } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig } },
  },
  {
    // Their sets and maps are notes of their own; nothing that is shown depends on them.
    files: ['src/label/*'],
    rules: { 'svelte/prefer-svelte-reactivity': 'off' },
  },
  {
    rules: {
      // Types are looked at by svelte-check, which knows the names of the browser.
      'no-undef': 'off',
      // Markup from data goes through look/Markup.svelte alone.
      'svelte/no-at-html-tags': 'error',
      'no-restricted-properties': ['error', { property: 'innerHTML' }, { property: 'outerHTML' }],
    },
  },
)
