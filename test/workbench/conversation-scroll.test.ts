import { describe, expect, it } from 'vitest';
import { useConversation } from './conversation-rig';

const rig = useConversation();

const scrollTo = async (top: number) => {
  await rig.scroller.evaluate((element, to) => (element.scrollTop = to), top);
  await rig.waitForDraw();
};
/** px between the top of the list and the top of a block */
const placeOf = (text: string) =>
  rig
    .block(text)
    .first()
    .evaluate(
      (element) =>
        element.getBoundingClientRect().top -
        (element.closest('.atb-talk-scroll')?.getBoundingClientRect().top ?? 0),
    );
const fromEnd = () =>
  rig.scroller.evaluate(({ scrollHeight, scrollTop, clientHeight }) =>
    Math.round(scrollHeight - scrollTop - clientHeight),
  );

describe('a stream', () => {
  const token = (delta: string) =>
    rig.event('stream.token', { messageId: `m${rig.id}`, partId: `p${rig.id}`, delta });

  it('[CONV8] draws finished paragraphs once, and loses nothing', async () => {
    await rig.emit(token('First **para'), token('graph**.\n\nSec'));
    await rig.block('First paragraph.').waitFor();
    await rig.view
      .locator('.atb-markdown p')
      .first()
      .evaluate((element) => Object.assign(element, { own: true }));
    for (let n = 0; n < 50; n += 1) await rig.emit(token(` w${n}`));
    await rig.view.getByText('w49').waitFor();
    const paragraphs = rig.view.locator('.atb-markdown p');
    expect(await paragraphs.first().evaluate((element) => 'own' in element)).toBe(true);
    const words = Array.from({ length: 50 }, (_, n) => ` w${n}`).join('');
    expect(await paragraphs.nth(1).textContent()).toBe(`Sec${words}`);
  });

  it('[CONV8] is drawn at most once per frame', async () => {
    await rig.emit(token('Begin'));
    await rig.block('Begin').waitFor();
    const { drawn, passed } = await rig.page.evaluate(
      async ([ts, sessionId, partId, messageId]) => {
        const element = document.querySelector(
          '.workspace-leaf:not([style*="none"]) .atb-talk-list',
        );
        const list = [...document.querySelectorAll('.atb-talk-list')].find(
          (one) => one.clientHeight > 0,
        );
        let drawn = 0;
        let passed = 0;
        new MutationObserver(() => (drawn += 1)).observe(list ?? element ?? document.body, {
          subtree: true,
          childList: true,
          characterData: true,
        });
        const channel = new MessageChannel();
        await new Promise<void>((resolve) => {
          let sent = 0;
          // At least three frames, however fast tokens arrive.
          const goesOn = () => sent < 600 || passed < 3;
          const frame = () => {
            passed += 1;
            if (goesOn()) requestAnimationFrame(frame);
          };
          requestAnimationFrame(frame);
          channel.port1.onmessage = () => {
            const payload = { messageId, partId, delta: ` t${(sent += 1)}` };
            window.stand.emit([{ type: 'stream.token', sessionId, ts, payload }]);
            if (goesOn()) channel.port2.postMessage(0);
            else resolve();
          };
          channel.port2.postMessage(0);
        });
        return { drawn, passed };
      },
      [2_000_000, rig.id, `p${rig.id}`, `m${rig.id}`] as const,
    );
    expect(passed).toBeGreaterThan(0);
    expect(drawn).toBeLessThanOrEqual(passed + 1);
    await rig.view.getByText('t600', { exact: false }).first().waitFor();
    await rig.page.waitForFunction((sessionId) => {
      const shown = [...document.querySelectorAll('.atb-talk-text')].find(
        (one) => one.clientHeight > 0,
      );
      return shown?.textContent === window.stand.text(sessionId);
    }, rig.id);
  });
});

describe('a view behind another', () => {
  it('[CONV24] is not drawn, and is whole when it comes to the front', async () => {
    await rig.emit(rig.message('Seen.', `${rig.id}-front`));
    await rig.block('Seen.').waitFor();
    const list = await rig.view.locator('.atb-talk-list').elementHandle();
    const behind = rig.id;
    await rig.newSession();
    await list.evaluate((element) => {
      const drawn = Object.assign(element, { drawn: 0 });
      const options = { subtree: true, childList: true, characterData: true };
      new MutationObserver(() => (drawn.drawn += 1)).observe(element, options);
    });
    await rig.emit(
      rig.message('Not seen.', `${behind}-back`, behind),
      rig.message('Front.', 'front'),
    );
    await rig.block('Front.').waitFor();
    await rig.waitForDraw();
    expect(await list.evaluate((element) => Reflect.get(element, 'drawn') as number)).toBe(0);
    await rig.page.evaluate((sessionId) => window.stand.open(sessionId), behind);
    await rig.block('Not seen.').waitFor();
    expect(await list.evaluate((element) => element.isConnected)).toBe(true);
  });
});

describe('scrolling', () => {
  it('[CONV9] at the end follows what is added; away from it stays, and says that there is new text', async () => {
    await rig.emit(...rig.longMessages(40));
    await rig.block('Paragraph 39 of many.').waitFor();
    await rig.waitForDraw();
    await expect.poll(fromEnd).toBe(0);
    await rig.emit(rig.message('One more.', `${rig.id}-more`));
    await rig.block('One more.').waitFor();
    await rig.waitForDraw();
    await expect.poll(fromEnd).toBe(0);
    await scrollTo((await rig.scroller.evaluate((element) => element.scrollTop)) - 900);
    const top = await rig.scroller.evaluate((element) => element.scrollTop);
    await rig.emit(rig.message('Two more.\n\n'.repeat(9), `${rig.id}-more2`));
    await rig.view.getByRole('button', { name: 'New text below' }).waitFor();
    await rig.waitForDraw();
    expect(await rig.scroller.evaluate((element) => element.scrollTop)).toBe(top);
    await rig.view.getByRole('button', { name: 'New text below' }).click();
    await rig.waitForDraw();
    await expect.poll(fromEnd).toBe(0);
    expect(await rig.view.locator('.atb-talk-pill').count()).toBe(0);
  });

  it('[CONV9] what the person looks at stays in its place while older text comes above it', async () => {
    await rig.emit(...rig.longMessages(60));
    await rig.block('Paragraph 59 of many.').waitFor();
    await scrollTo(2_000);
    const seen = await rig.view.locator('[data-block]').evaluateAll((all) => {
      const top = all[0]?.closest('.atb-talk-scroll')?.getBoundingClientRect().top ?? 0;
      return all.find((one) => one.getBoundingClientRect().top > top)?.textContent ?? '';
    });
    const words = /Paragraph \d+ of many\./.exec(seen)?.[0] ?? '';
    const before = await placeOf(words);
    await rig.page.evaluate((sessionId) => {
      const older = Array.from({ length: 200 }, (_, n) => ({
        ...{ kind: 'text' as const, id: `old${n}`, messageId: `mo${n}`, live: false, at: n },
        text: `Older ${n}.\n\n${'More words. '.repeat(n % 40)}`,
      }));
      window.stand.restore(sessionId, older);
    }, rig.id);
    await rig.waitForDraw();
    await rig.waitForDraw();
    expect(Math.abs((await placeOf(words)) - before)).toBeLessThanOrEqual(1);
  });

  it('[CONV10] of 5,000 messages only those that are near are drawn, wherever the view is', async () => {
    await rig.page.evaluate((sessionId) => {
      const blocks = Array.from({ length: 5_000 }, (_, n) => ({
        ...{ kind: 'text' as const, id: `b${n}`, messageId: `m${n}`, live: false, at: n },
        text: `Message ${n}.\n\n${'Some more words here. '.repeat(n % 30)}`,
      }));
      window.stand.restore(sessionId, blocks);
    }, rig.id);
    await rig.block('Message 4999.').waitFor();
    const drawn = () => rig.view.locator('[data-block]').count();
    expect(await drawn()).toBeLessThan(60);
    for (const share of [0.5, 0.2, 0.9, 0]) {
      await rig.scroller.evaluate((element, part) => {
        element.scrollTop = element.scrollHeight * part;
      }, share);
      await rig.waitForDraw();
      await rig.waitForDraw();
      const visible = () =>
        rig.view.locator('[data-block]').evaluateAll((all) => {
          const box = all[0]?.closest('.atb-talk-scroll')?.getBoundingClientRect();
          if (box === undefined) return 0;
          const rects = all.map((one) => one.getBoundingClientRect());
          return rects
            .map(({ top, bottom }) => Math.min(bottom, box.bottom) - Math.max(top, box.top))
            .filter((height) => height > 0)
            .reduce((sum, height) => sum + height, 0);
        });
      await expect.poll(visible).toBeGreaterThan(450);
      expect(await drawn()).toBeLessThan(80);
    }
    expect(await rig.block('Message 0.').count()).toBe(1);
  });

  it('[CONV11] words are found in all of it, drawn or not, folded or not', async () => {
    await rig.emit(
      rig.event('tool.update', {
        callId: 'c',
        tool: 'read',
        status: 'completed',
        output: 'the needle',
      }),
      ...rig.longMessages(200),
    );
    await rig.block('Paragraph 199 of many.').waitFor();
    await rig.page.keyboard.press('Control+f');
    await rig.view.getByPlaceholder('Find in this conversation').fill('NEEDLE');
    await rig.view.getByText('the needle').waitFor();
    expect(await rig.view.locator('[data-found=true]').count()).toBe(1);
    expect(await rig.view.locator('.atb-find-count').textContent()).toBe('1 of 1');
    await rig.view.getByPlaceholder('Find in this conversation').fill('Paragraph 10');
    await expect.poll(() => rig.view.locator('.atb-find-count').textContent()).toBe('11 of 11');
    await rig.page.keyboard.press('Enter');
    await rig.block('Paragraph 10 of many.').waitFor();
    await rig.page.keyboard.press('Escape');
    await expect.poll(() => rig.view.locator('.atb-find').count()).toBe(0);
  });
});
