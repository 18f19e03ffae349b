import { defineConfig } from 'vitest/config';

/** Tests that run whole programs: OpenCode, Chromium, child processes. They run after the others. */
const whole = [
  'test/e2e/*.test.ts',
  'test/workbench/*.test.ts',
  'test/bridge/opencode-*.test.ts',
  'test/bridge/engine-contract.test.ts',
  'test/engine/acp-*.test.ts',
];

export default defineConfig({
  // The package has types only; the app provides its runtime.
  resolve: { alias: { obsidian: 'obsidian-test-mocks/obsidian' } },
  test: {
    // Generous: these limits only catch hangs. No test waits for time to pass.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A slow machine or page is no failure.
    expect: { poll: { timeout: 60_000 } },
    globalSetup: 'test/temporary-folder.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.{ts,tsx}'],
          // Tests with real MCP clients, which are installed for `npm run test:clients`.
          exclude: [...whole, 'test/clients/**'],
          maxWorkers: 2,
          // Modules are loaded once per worker instead of once per file, which halves the time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: whole,
          globalSetup: ['test/temporary-folder.ts', 'test/chromium-setup.ts'],
          maxWorkers: 2,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
