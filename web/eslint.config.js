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
    // Sets and maps in these files are internal: nothing on the page depends on them.
    files: ['src/label/*', 'src/review/*'],
    rules: { 'svelte/prefer-svelte-reactivity': 'off' },
  },
  {
    rules: {
      // svelte-check checks types and knows the browser's globals.
      'no-undef': 'off',
      // Only look/Markup.svelte turns data into markup.
      'svelte/no-at-html-tags': 'error',
      'no-restricted-properties': ['error', { property: 'innerHTML' }, { property: 'outerHTML' }],
    },
  },
)
