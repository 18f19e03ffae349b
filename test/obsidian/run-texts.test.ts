import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { planSnapshotOf } from '../../src/core/orchestrator/plan-snapshot';
import type { RunView } from '../../src/core/orchestrator/runs';
import { runHeadState } from '../../src/obsidian/run/run-head';
import { timelineEntryWords } from '../../src/obsidian/run/timeline-section';
import { board, task } from '../orchestrator/plan-board';
import { ManualRun } from '../orchestrator/run-fixture';

const PLACE = { board: 'p.md', note: undefined, by: 'here', fault: null } as const;

describe('what a person reads of runs', () => {
  it('[RUN123] the steps of a run are called tasks wherever a person reads of them', () => {
    const folders = ['src/obsidian/run', 'src/obsidian/app', 'src/obsidian/settings'];
    const files = [
      ...folders,
      'src/cli/runs',
      'src/cli/runs/verbs',
      'src/core/orchestrator',
    ].flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`));
    // Ids of commands and icons contain no space.
    const texts = /'[^']*'|`[^`]*`|<p>[^<]*</g;
    const found = files
      // What a model is sent is not read by a person.
      .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('/run-prompt.ts'))
      .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
      .flatMap(
        (line) => (/^\s*(\*|\/\*|\/\/)|\bimport\b/.test(line) ? [] : line.match(texts)) ?? [],
      )
      .map((text) => text.replace(/\$\{[^}]*\}/g, ''))
      .filter((text) => / /.test(text) && /\bsteps?\b/i.test(text));
    expect(files.length).toBeGreaterThan(40);
    expect(found).toEqual([]);
  });

  it('[RUN123] what a run is at, and that it goes on again, is said in plain words', () => {
    const led = new ManualRun()
      .startPlanned([task(1, { body: ['Success: it is.'] })])
      .startTask('w1');
    const view = (): RunView => {
      const look = planSnapshotOf(board(led.tasks));
      return { ...{ id: 'r1', state: led.state, plan: look }, ...PLACE };
    };
    led.set('k3f9-1', { status: 'completed' });
    led.reportTurnEnded('w1', 'm2');
    expect(runHeadState(view()).text).toBe('Another session is checking Task 1.');
    led.send({ type: 'pause' });
    led.send({ type: 'resume' });
    const last = 'run' in led.state ? led.state.run.timeline.at(-1) : undefined;
    expect(last && timelineEntryWords(last).title).toBe('Resumed');
  });
});
