import { describe, expect, test } from 'vitest';
import { readOptions } from '../../workbench/demo/options';

describe('options of the demo', () => {
  test('[DEMO6] each is read, none is needed', () => {
    const all = [
      '--goal',
      'Search offline',
      '--script',
      'a.json',
      '--vault',
      'v',
      '--headless',
      '--model',
      'p/m/x',
      '--pictures',
      'images',
    ];
    expect(readOptions(all)).toEqual({
      kind: 'run',
      options: {
        goal: 'Search offline',
        script: 'a.json',
        vault: 'v',
        model: 'p/m/x',
        headless: true,
        plugin: true,
        pictures: 'images',
        mcp: false,
        engine: 'opencode',
      },
    });
    expect(readOptions(['--client', 'mcp'])).toMatchObject({ options: { mcp: true } });
    expect(readOptions(['--engine', 'model'])).toMatchObject({ options: { engine: 'model' } });
    expect(readOptions(['--engine', 'http'])).toMatchObject({ options: { engine: 'http' } });
    expect(readOptions(['--engine', 'acp'])).toMatchObject({ options: { engine: 'acp' } });
    expect(readOptions(['--engine', 'codex'])).toMatchObject({ kind: 'wrong' });
    expect(readOptions(['--engine', 'model', '--model', 'a/b'])).toMatchObject({ kind: 'wrong' });
    expect(readOptions(['--client', 'acp'])).toMatchObject({ kind: 'wrong' });
    expect(readOptions([])).toEqual({
      kind: 'run',
      options: {
        goal: undefined,
        script: undefined,
        vault: undefined,
        model: undefined,
        headless: false,
        plugin: true,
        pictures: undefined,
        mcp: false,
        engine: 'opencode',
      },
    });
  });

  test('[DEMO6] an unknown one, one without its value, and a model without a provider are refused', () => {
    for (const args of [['--fast'], ['stray'], ['--script'], ['--model', 'sonnet']]) {
      expect(readOptions(args).kind).toBe('wrong');
    }
  });

  test('[DEMO6] help is help, whatever else is asked', () => {
    expect(readOptions(['--help', '--headless'])).toEqual({ kind: 'help' });
  });

  test.each(['--vault', '--script', '--pictures'])(
    '[DEMO6] an empty %s is refused, so that an unset variable does not mean this folder',
    (option) => {
      expect(readOptions([option, ''])).toEqual({
        kind: 'wrong',
        message: `${option} names nothing.`,
      });
    },
  );
});
