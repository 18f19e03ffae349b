import { describe, expect, test } from 'vitest';
import { toolsFor } from '../../src/core/engine/engine-tools';
import { isFullyDenied, ruleAction, type EngineAgent } from '../../src/core/engine/engine-agent';
import { engineAgent, engineAgents } from '../../src/core/engine/engine-agent';
import { runSubAgent } from '../../src/core/engine/subagents';
import { WireError } from '../../src/protocol/wire-error';
import { loadConfig } from '../../src/core/config/load-config';
import { defaultSettings } from '../../src/core/shared-settings';
import { memoryFolder } from '../config/memory-folder';

const FACTS = { v: 1, id: 'ses_1', title: '', created: 1 } as const;

async function agent(name: string, config: object = {}): Promise<EngineAgent> {
  const loaded = await loadConfig(
    memoryFolder({ 'opencode.json': JSON.stringify(config) }),
    undefined,
  );
  const found = engineAgent(loaded, name);
  if (found === undefined) throw new Error(`No agent ${name}`);
  return found;
}

function names(of: EngineAgent, facts: Parameters<typeof toolsFor>[1] = FACTS): string[] {
  return toolsFor(of, facts, defaultSettings(), []).map(({ name }) => name);
}

test('[ENGINE14] a subagent that can’t begin is answered with why', async () => {
  const full = new WireError('conflict', 'This session is full.');
  const helper = await agent('general');
  const args = { description: 'Look', prompt: 'Look.', subagent_type: 'general', task_id: 'ses_2' };
  const { signal: abort } = new AbortController();
  const call = { facts: FACTS, agent: helper, model: '', budget: { left: 1 }, abort };
  const sessions = {
    startable: () => Promise.resolve([helper]),
    start: () => Promise.reject(full),
    find: () => Promise.resolve(FACTS),
    runTurn: () => Promise.reject(full),
  };
  const message = 'Nothing was done. The subagent could not begin: This session is full.';
  for (const given of [args, { ...args, task_id: undefined }]) {
    const outcome = await runSubAgent(given, { ...call, started: () => undefined }, sessions);
    expect(outcome).toEqual({ ok: false, error: { code: 'conflict', message } });
  }
});

describe('tools of an agent', () => {
  test('[ENGINE8] build has all of them, plan and explore none that changes notes', async () => {
    const all = names(await agent('build'));
    expect(all).toEqual([
      ...['tasks', 'obsidian_search_vault', 'obsidian_read_note', 'obsidian_list_notes'],
      ...['obsidian_get_note_metadata', 'obsidian_create_note', 'obsidian_update_note', 'question'],
    ]);
    const read = all.filter((name) => !/create|update/.test(name));
    expect(names(await agent('plan'))).toEqual(read);
    const opened = { agent: { plan: { permission: { obsidian_update_note: 'allow' } } } };
    expect(names(await agent('plan', opened))).toContain('obsidian_update_note');
    // A subagent can't use the board unless the person allows it.
    expect(names(await agent('explore'))).toEqual(read.filter((name) => name !== 'tasks'));
  });

  test('[ENGINE8] a session for a board without a task changes nothing', async () => {
    const board = { session: 's', agent: 'build' };
    const read = names(await agent('build'), { ...FACTS, board });
    expect(read.filter((name) => /create|update/.test(name))).toEqual([]);
    const bound = names(await agent('build'), { ...FACTS, board: { ...board, task: '1' } });
    expect(bound).toContain('obsidian_update_note');
  });

  test('[ENGINE8] the last rule that fits decides, and a tool that is always denied is not shown', async () => {
    const permission = {
      'obsidian_*': 'ask',
      obsidian_read_note: { '*': 'allow', 'Secret/*': 'deny' },
      question: 'deny',
    };
    const { rules } = await agent('build', { permission });
    expect(ruleAction(rules, 'obsidian_read_note', ['A.md'])).toBe('allow');
    expect(ruleAction(rules, 'obsidian_read_note', ['A.md', 'Secret/B.md'])).toBe('deny');
    expect(ruleAction(rules, 'obsidian_list_notes', ['*'])).toBe('ask');
    expect(ruleAction(rules, 'tasks', ['*'])).toBe('allow');
    expect([isFullyDenied(rules, 'question'), isFullyDenied(rules, 'obsidian_read_note')]).toEqual([
      true,
      false,
    ]);
  });

  test('[ENGINE8] agents that are switched off or hidden can’t be chosen', async () => {
    const config = { agent: { general: { disable: true }, own: { prompt: 'Mine.' } } };
    const loaded = await loadConfig(
      memoryFolder({ 'opencode.json': JSON.stringify(config) }),
      undefined,
    );
    const found = engineAgents(loaded).map(({ name }) => name);
    expect(found).toEqual(['build', 'explore', 'own', 'plan']);
    expect(engineAgent(loaded, 'title')).toBeUndefined();
    expect(engineAgent(loaded, 'own')?.system).toMatch(/“own”[^]*Mine\./);
  });
});
