import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ARCHIVE, MovingRig, VISIBLE } from './moving-rig';

const FOLDER = `${VISIBLE}/Offline search (ses_1)`;
const NOTE = `${FOLDER}/Offline search - build-tasks.md`;

let on: MovingRig;

beforeEach(async () => {
  on = await MovingRig.open();
  await on.moveTo(VISIBLE);
  await on.notice('were moved to Agent boards');
});

afterEach(() => on.close());

describe('names by title', () => {
  it('[PLUGIN69] renames as the app does, so links follow, and takes it back', async () => {
    await on.rig.put('Links.md', `See [[${VISIBLE}/ses_1/build-tasks#^k3f9-2|the index]].\n`);
    await on.page.waitForFunction(
      () => Object.keys(window.app.metadataCache.resolvedLinks['Links.md'] ?? {}).length > 0,
    );
    await on.openNative();
    await on.run('name-by-title');
    await on.notice('files were renamed');
    await expect
      .poll(() => on.onDisk('Links.md'))
      .toBe(`See [[${NOTE.replace(/\.md$/, '')}#^k3f9-2|the index]].\n`);
    expect(await on.onDisk(NOTE)).toContain('Survive a restart');
    expect(await on.isGone(`${VISIBLE}/${ARCHIVE}`)).toBe(true);
    expect(await on.onDisk(`${FOLDER}/Offline search - build-tasks.archive.md`)).toContain(
      'long ago',
    );
    const bar = on.page.locator('.workspace-leaf-content[data-type=markdown] > .atb-native-bar');
    await bar.getByText('1 of 4').waitFor();
    await on.page.getByRole('button', { name: 'Undo' }).last().click();
    await expect.poll(() => on.isGone(NOTE)).toBe(true);
    await expect.poll(() => on.onDisk('Links.md')).toContain('ses_1/build-tasks#^k3f9-2');
  });

  it('[PLUGIN70] shows the title once in a note that is named by it', async () => {
    await on.openNative();
    const view = on.page.locator('.workspace-leaf-content[data-type=markdown] .view-content');
    await view.locator('.inline-title').waitFor();
    await on.run('name-by-title');
    await on.notice('files were renamed');
    await view.locator('.inline-title').waitFor({ state: 'hidden' });
    await view.getByRole('heading', { name: 'Offline search' }).waitFor();
    await on.page.evaluate(() => window.app.workspace.openLinkText('Inbox.md', '', false));
    await view.locator('.inline-title').waitFor();
  });
});
