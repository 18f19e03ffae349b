import { afterAll, beforeAll, expect, test } from 'vitest';
import { SHARED_SETTINGS_PATH } from '../../src/core/shared-settings';
import { PermissionScene } from './permission-scene';

const NOTE = 'Notes/Zebra crossing.md';
const CANARY = 'Stripes are repainted in May.';
const files = {
  [NOTE]: `# Zebra crossing\n\n${CANARY}\n`,
  'Private/Zebra crossing.md': 'The zebra crossing is a secret.\n',
  [SHARED_SETTINGS_PATH]: JSON.stringify({
    permissions: { rules: [{ permission: 'read', pattern: 'Private/**', action: 'deny' }] },
  }),
};

let on: PermissionScene;
beforeAll(async () => {
  on = await PermissionScene.open({ files });
});
afterAll(() => on.close());

test('[CTX24] [CTX25] a related note goes from the composer to the model of a real OpenCode, and stands in the transcript, also in another window', async () => {
  const { page, model, wire } = on.app;
  const session = await on.session('Paint the crossing');
  model.play(session, [{ text: 'Painted.' }, { text: 'Painted again.' }]);
  const talk = (one = page) => one.locator('.atb-conversation:visible');
  const show = async (one: typeof page) => {
    // The command exists once the page knows the session.
    await one.waitForFunction(() =>
      window.workbench.runCommand('agent-task-boards:open-conversation'),
    );
    const choice = one.locator('.suggestion-item', { hasText: 'Paint the crossing' });
    await choice.or(talk(one)).first().waitFor();
    if (await choice.isVisible()) await choice.click();
    await talk(one).waitFor();
  };
  const say = async (text: string) => {
    const ended = wire.nextTurnEnd(session);
    await talk().locator('textarea').fill(text);
    await page.keyboard.press('Control+Enter');
    await ended;
    return JSON.stringify(
      model.requests.findLast(({ sessionId }) => sessionId === session)?.messages,
    );
  };
  await show(page);
  expect(await say('Paint the zebra crossing')).not.toContain(CANARY);

  await talk().getByRole('button', { name: 'Add related notes' }).click();
  await talk().locator('textarea').fill('Paint the zebra crossing again');
  const panel = talk().getByRole('group', { name: 'Related notes' });
  await panel.getByText('Zebra crossing', { exact: true }).waitFor();
  const sent = await say('Paint the zebra crossing again');
  expect(sent).toContain(CANARY);
  expect(sent).not.toContain('is a secret');

  const again = await on.app.openAgain();
  for (const one of [page, again.page]) {
    if (one !== page) await show(one);
    const said = talk(one).locator('[data-block]', { hasText: 'crossing again' });
    await said.getByRole('button', { name: /sent along$/ }).click();
    await said.getByRole('link', { name: 'Zebra crossing', exact: true }).waitFor();
    expect(await said.innerText()).not.toContain(CANARY);
  }
});
