import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { RUN_FOLDER } from '../../src/protocol/run-file';
import { startScriptedModel } from '../../workbench/demo/scripted-model';
import { startModel } from '../bridge/model';
import { answering, LIST } from '../bridge/opencode-steps';
import { TestClient } from '../bridge/test-client';
import { goalCast, leadGoal } from './goal-scene';
import { serveOpencode } from './served-acp';

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

test('[ACP12] agent-boards run leads a goal to done on opencode acp', async () => {
  const cast = goalCast();
  const served = await serveOpencode(await startScriptedModel({ defaultDelayMs: 0, cast }));
  close = () => served.close();
  await leadGoal(served.vault, cast);
});

test('[ACP11] calls of an agent’s sessions at the same time are each of their own session, by one bridge', async () => {
  const model = await startModel();
  const served = await serveOpencode(model);
  close = () => served.close();
  const client = await TestClient.connect(served.runFile);
  answering(client, 'mine');
  const played = new Set<string>();
  model.answerUnknown((session) => {
    if (played.has(session)) return { text: 'done' };
    played.add(session);
    return { tools: [{ name: 'agent-boards_tasks', args: LIST }] };
  });
  const ids = await Promise.all(['a', 'b'].map((title) => client.start(title)));
  await Promise.all(ids.map((id) => client.prompt(id, 'go')));
  const calls = client.of('tool.call');
  expect(calls.map(({ sessionId }) => sessionId).sort()).toEqual([...ids].sort());
  for (const { sessionId, payload } of calls) {
    expect(payload).toMatchObject({ originSessionId: sessionId, agent: 'build', tool: 'tasks' });
    const told = client.of('tool.update').filter((one) => one.sessionId === sessionId);
    expect(new Set(told.map((one) => one.payload.callId))).toEqual(new Set([payload.callId]));
  }
  const runFiles = readdirSync(join(served.vault, RUN_FOLDER)).filter((name) =>
    name.endsWith('.json'),
  );
  expect(runFiles).toHaveLength(1);
  await client.close();
});
