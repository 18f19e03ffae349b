import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    globalSetup: './install.ts',
    testTimeout: 300_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
});
