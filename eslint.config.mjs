// The store's review rules hold for everything that reaches main.js, except four for code that runs
// in OpenCode. Programs that run on Node (command line, workbench, tests) keep the general rules.
import { defineConfig, globalIgnores } from 'eslint/config';
import obsidianmd from 'eslint-plugin-obsidianmd';
import tseslint from 'typescript-eslint';

const inApp = [
  'src/program.cts',
  'src/main.ts',
  'src/obsidian/**',
  'src/core/**',
  'src/protocol/**',
];
/** Part of main.js, too: used in OpenCode, or required by the plugin on desktop only. */
const inBridge = ['src/bridge/**', 'src/node/**'];
const onNode = [
  'src/cli/**',
  'src/mcp/**',
  'src/acp/**',
  'src/lsp/**',
  'workbench/**',
  'test/**',
  'bench/**',
  'soak/**',
];
const storeRules = Object.keys(obsidianmd.rules).map((name) => `obsidianmd/${name}`);

export default defineConfig([
  globalIgnores([
    'main.js',
    'dist/',
    'workbench/build/',
    'bench/node_modules/',
    'bench/build/',
    'soak/build/',
    '*.mjs',
    'bench/*.mjs',
    'soak/*.mjs',
    'scripts/*.mjs',
    'test/corpus/',
  ]),
  ...obsidianmd.configs.recommended,
  {
    files: ['**/*.{ts,tsx,cts}'],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unnecessary-condition': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      eqeqeq: ['error', 'always'],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: false, skipComments: false }],
    },
  },
  {
    files: ['bench/**'],
    rules: { 'import/no-extraneous-dependencies': ['error', { packageDir: ['.', 'bench'] }] },
  },
  {
    files: inApp,
    rules: {
      'obsidianmd/prefer-active-doc': 'error',
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        {
          // Each window of the app has classes of its own.
          selector:
            'BinaryExpression[operator="instanceof"][right.name=/^(Element|Node|Text|Event|((HTML|SVG)\\w*|\\w+)(Element|Event))$/]',
          message: 'Use targetElement or isWithin of ui/focus.ts, or Obsidian’s instanceOf.',
        },
      ],
    },
  },
  {
    files: ['src/bridge/**', 'src/node/**', 'src/cli/**', 'src/mcp/**', 'src/acp/**', 'src/lsp/**'],
    rules: { 'no-console': 'error' },
  },
  {
    files: onNode,
    rules: Object.fromEntries(storeRules.map((rule) => [rule, 'off'])),
  },
  {
    files: inBridge,
    rules: {
      // These folders exist for files, sockets and processes.
      'obsidianmd/no-nodejs-modules': 'off',
      // OpenCode has no window, and no app to ask for its configuration folder.
      'obsidianmd/prefer-window-timers': 'off',
      'obsidianmd/no-global-this': 'off',
      'obsidianmd/hardcoded-config-path': 'off',
    },
  },
  {
    files: [...inBridge, ...onNode],
    rules: {
      'import/no-nodejs-modules': 'off',
      'no-restricted-globals': 'off',
      'no-undef': 'off',
    },
  },
  {
    // The SDK's low-level server accepts JSON Schemas as they are and exposes old clients'
    // capabilities; the high-level one does neither.
    files: ['src/mcp/mcp-server.ts', 'src/mcp/serve-mcp.ts', 'src/acp/mcp-socket-server.ts'],
    rules: { '@typescript-eslint/no-deprecated': 'off' },
  },
  {
    files: ['test/clients/**'],
    rules: {
      'import/no-extraneous-dependencies': ['error', { packageDir: ['.', 'test/clients'] }],
    },
  },
  {
    // An import would evaluate both halves; the app and OpenCode both provide `require`.
    files: ['src/program.cts'],
    rules: { '@typescript-eslint/no-require-imports': 'off', 'no-undef': 'off' },
  },
  {
    // A property with its own seed, or one taken from the clock, would fail by chance.
    files: ['test/**'],
    ignores: ['test/seeded.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { name: 'fast-check', message: 'Import { fc } from test/seeded.ts: it sets the seed.' },
      ],
    },
  },
  {
    // The header of a note is YAML 1.2, parsed by js-yaml 5, whose depth limit the design relies
    // on.
    files: ['package.json'],
    rules: { 'depend/ban-dependencies': ['error', { allowed: ['js-yaml'] }] },
  },
  {
    files: ['manifest.json'],
    languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
    plugins: { obsidianmd },
    rules: { 'obsidianmd/validate-manifest': 'error' },
  },
]);
