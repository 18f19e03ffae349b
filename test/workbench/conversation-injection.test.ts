import { beforeAll, describe, expect, it } from 'vitest';
import { useConversations } from './conversation-rig';

declare global {
  interface Window {
    /** called by any hostile text that is executed */
    pwned: (how: string) => void;
  }
}

const FOREIGN = 'https://evil.example';

/** Texts that run code, or load from another host, in an app that renders chat as HTML. */
const HOSTILE: readonly string[] = [
  '<script>pwned("script")</script>',
  '<img src=x onerror=pwned("img")>',
  '<svg onload=pwned("svg")><use href="data:image/svg+xml,x#a"/></svg>',
  '<iframe srcdoc="<script>parent.pwned(1)</script>"></iframe>',
  `<iframe src="${FOREIGN}/frame"></iframe><link rel=stylesheet href=${FOREIGN}/a.css>`,
  '<details open ontoggle=pwned("toggle")>',
  '<input autofocus onfocus=pwned("focus")>',
  '<style>*{background:url(https://evil.example/style)}</style>',
  '<base href="https://evil.example/"><form action=/x><button>go</button></form>',
  '[click](javascript:pwned("link"))',
  '[click](java\tscript:pwned("tab"))',
  '[click](<javascript:pwned("angle")>)',
  '[click](&#106;avascript:pwned("entity"))',
  '<javascript:pwned("auto")>',
  '[click](data:text/html,<script>parent.pwned(1)</script>)',
  '[click](obsidian://open?vault=x&file=y)',
  '[click](app://local/etc/passwd) [file](file:///etc/passwd)',
  `![alt](${FOREIGN}/pixel.png) ![[${FOREIGN}/embed.png]]`,
  `[![alt](${FOREIGN}/nested.png)](javascript:pwned("nested"))`,
  '![x](x" onerror="pwned(1))',
  '```dataviewjs\npwned("dataview")\n```',
  '`$= pwned("inline")` `= this`',
  '<%* pwned("templater") %>',
  '```html\n<img src=x onerror=pwned("fence")>\n```',
  '{{constructor.constructor("pwned(1)")()}} ${pwned(1)}',
  '"><img src=x onerror=pwned("attribute")>',
  "' onmouseover='pwned(1)' x='",
  '\u202Egnp.exe\u2066 \u0000\uFFFF',
  '__proto__ constructor toString',
];

const rig = useConversations();
const ran: string[] = [];
const requests: string[] = [];

beforeAll(async () => {
  const { page } = rig;
  await page.exposeFunction('pwned', (how: string) => void ran.push(how));
  page.on('dialog', (dialog) => {
    ran.push(dialog.message());
    void dialog.dismiss();
  });
  page.on('request', (request) => requests.push(request.url()));
});

/** A session in which every kind of block has a hostile text in each of its fields. */
function events(text: string, id: string): readonly object[] {
  const event = (type: string, payload: object) => rig.event(type, payload, id);
  const final = (partId: string, kind: string, role: string) =>
    event('message.final', { messageId: `m${partId}`, partId, text, kind, role });
  return [
    event('progress.update', { kind: 'title', title: text }),
    final('p1', 'text', 'user'),
    final('p2', 'thinking', 'assistant'),
    final('p3', 'text', 'assistant'),
    event('stream.token', { messageId: 'm4', partId: 'p4', delta: text }),
    event('tool.update', {
      ...{ callId: text, tool: text, status: 'error', title: text },
      ...{ input: { command: text, filePath: text }, output: text, error: text },
    }),
    event('tool.update', {
      ...{ callId: 'bash', tool: 'bash', status: 'completed', input: { command: text } },
      output: text,
    }),
    event('permission.request', {
      ...{ requestId: `r${id}`, permission: text, patterns: [text, text], always: [text] },
      metadata: { command: text, filepath: text, diff: `@@ -1 +1 @@\n-${text}\n+${text}` },
    }),
    event('question.request', {
      requestId: `q${id}`,
      questions: [{ question: text, header: text, options: [{ label: text, description: text }] }],
    }),
    event('turn.end', { reason: 'error', error: { code: text, message: text } }),
  ];
}

/** Unfolds everything, and clicks whatever looks like a link. */
async function poke(): Promise<void> {
  await rig.page.evaluate(() => {
    const shown = [...document.querySelectorAll<HTMLElement>('.atb-conversation')].find(
      (one) => one.clientHeight > 0,
    );
    const fold = '.atb-disclosure-head[aria-expanded=false]';
    for (const head of shown?.querySelectorAll<HTMLElement>(fold) ?? []) head.click();
  });
  await rig.page.evaluate(async () => {
    for (let n = 0; n < 3; n += 1) await new Promise(requestAnimationFrame);
    for (const link of document.querySelectorAll<HTMLElement>('.atb-conversation a')) {
      if (link.getAttribute('href') === null) link.click();
    }
  });
}

describe('what OpenCode sends', () => {
  it.each(HOSTILE)('[CONV19] %j runs nowhere and asks nobody for anything', async (text) => {
    const id = `s${HOSTILE.indexOf(text)}`;
    await rig.session(id, text);
    const before = requests.length;
    await rig.emit(...events(text, id));
    await rig.page.locator('.atb-conversation:visible .atb-banner').waitFor();
    await poke();
    const seen = await rig.page.evaluate(() => {
      const shown = [...document.querySelectorAll('.atb-conversation')].find(
        (one) => one.clientHeight > 0,
      );
      const all = [...(shown?.querySelectorAll('*') ?? [])];
      const bad = 'script, iframe, object, embed, link, style, base, form, img, video, audio, use';
      return {
        elements: all.length,
        bad: all.filter((one) => one.matches(bad)).map((one) => one.outerHTML),
        handlers: all.flatMap((one) => one.getAttributeNames().filter((name) => /^on/.test(name))),
        addresses: all.flatMap((one) => one.getAttribute('href') ?? []),
      };
    });
    expect(seen.elements).toBeGreaterThan(80);
    expect(seen).toMatchObject({ bad: [], handlers: [] });
    expect(seen.addresses.filter((one) => !/^https:\/\/evil\.example/.test(one))).toEqual([]);
    expect(ran).toEqual([]);
    expect(requests.slice(before)).toEqual([]);
    expect(await rig.page.evaluate(() => window.workbench.errors())).toEqual([]);
  });

  it('[CONV20] images of the web are links, until the person lets them load', async () => {
    await rig.page.route(`${FOREIGN}/**`, (route) => route.abort());
    await rig.session('images', 'Images');
    const text = `![A graph](${FOREIGN}/graph.png) ![plain](http://evil.example/plain.png)`;
    await rig.emit(rig.message(text, 'i1', 'images'));
    const talk = rig.page.locator('.atb-conversation:visible');
    await talk.getByRole('link', { name: 'A graph' }).waitFor();
    const before = requests.length;
    await rig.page.evaluate(() => (window.stand.settings.remoteImages = true));
    await rig.emit(rig.message(`${text} now`, 'i2', 'images'));
    await talk.getByRole('img', { name: 'A graph' }).first().waitFor({ state: 'attached' });
    await talk.getByRole('link', { name: 'plain' }).last().waitFor();
    await rig.page.waitForFunction(() =>
      [...document.querySelectorAll('img')].every((image) => image.complete),
    );
    const asked = requests.slice(before);
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked)).toEqual(new Set([`${FOREIGN}/graph.png`]));
  });
});
