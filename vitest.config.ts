import { defineConfig } from 'vitest/config';

/** Tests that drive whole programs: OpenCode, Chromium, child processes. After the others. */
const whole = [
  'test/e2e/*.test.ts',
  'test/workbench/*.test.ts',
  'test/bridge/opencode-*.test.ts',
  'test/bridge/engine-contract.test.ts',
  'test/engine/acp-*.test.ts',
];

export default defineConfig({
  // The package has types only; what it is at run time only the app has.
  resolve: { alias: { obsidian: 'obsidian-test-mocks/obsidian' } },
  test: {
    // Generous: they catch what hangs. No test waits for time to pass.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A machine or a page that is slow is no fault.
    expect: { poll: { timeout: 60_000 } },
    globalSetup: 'test/temporary-folder.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.{ts,tsx}'],
          // Real clients of MCP, installed when `npm run test:clients` asks for them.
          exclude: [...whole, 'test/clients/**'],
          maxWorkers: 2,
          // Modules are loaded once per worker, not once per file: half of the time.
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
