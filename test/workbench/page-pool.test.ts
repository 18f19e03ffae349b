import { afterEach, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './workbench-rig';

let rig: Rig;
afterEach(() => rig.close());

async function open() {
  rig = await startRig({ 'Inbox.md': 'inside' }, process.cwd());
  return rig.open();
}

describe('pages of tests', () => {
  it('[WB29] the next test gets the same page again, loaded anew, with nothing in its storage', async () => {
    const page = await open();
    await page.evaluate(() => {
      window.localStorage.setItem('left', 'by a test');
      Object.assign(window, { left: true });
    });
    await page.mouse.click(20, 20);
    await rig.close();
    expect(await open()).toBe(page);
    expect(await page.evaluate(() => [localStorage.getItem('left'), 'left' in window])).toEqual([
      null,
      false,
    ]);
  });

  it('[WB29] a page that was changed for good is for no other test', async () => {
    const page = await open();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await rig.close();
    expect(page.isClosed()).toBe(true);
    const next = await open();
    await (await next.context().newCDPSession(next)).send('Emulation.clearDeviceMetricsOverride');
    await rig.close();
    expect(next.isClosed()).toBe(true);
  });
});
