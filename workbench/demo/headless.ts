import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { boardLines } from './board-lines';
import { openPage, type OpenedPage } from './browser-page';
import { HttpStage } from './http-stage';
import { ensureChromium } from './install-chromium';
import { PageStage } from './page-stage';
import { PersonInPage } from './person-in-page';
import { PersonOnNotes } from './person-on-notes';
import { playScript } from './play-script';
import { PluginInPage } from './plugin-in-page';
import { prepare, type Prepared, type Run } from './prepare';
import { readSidebar } from './read-sidebar';
import { readmePictures } from './readme-pictures';
import { NOTHING, type Result } from './result';
import { Screenshots } from './screenshots';
import type { Script } from './script';
import type { ScriptedModel } from './scripted-model';
import type { Stage } from './stage';
import type { WireWatch } from './wire-watch';

/** The time a turn may take. */
const TURN_LIMIT_MS = 60_000;
/** A real model thinks and works. */
const REAL_TURN_LIMIT_MS = 20 * 60_000;

/** ms between the page and the bridge finding each other */
const CONNECT_LIMIT_MS = 30_000;

/** Plays the script without a window. Never throws: what goes wrong stands in the result. */
export async function runHeadless(run: Run): Promise<Result> {
  const { faults, cleanup } = run;
  const outcome = await play(run).catch((error: unknown) => {
    faults.caught('The demo could not run', error);
    return NOTHING;
  });
  await cleanup.run();
  return { ok: faults.all.length === 0, ...outcome, errors: faults.all };
}

async function play(run: Run): Promise<Omit<Result, 'ok' | 'errors'>> {
  const { script, faults } = run;
  // First, since it may have to be installed: nothing else should wait running meanwhile.
  const chromium = run.options.plugin ? await ensureChromium(run.progress) : undefined;
  const ready = await prepare(run, { defaultDelayMs: 0, pauseMs: 0 });
  const { world, model, persons } = ready;
  const theatre: Theatre =
    chromium === undefined ? closed(ready) : await open(run, ready, chromium);
  const started = new Map<string, string>();
  await playScript({
    titles: started,
    ...{ script, world, model, persons, faults, stage: theatre.stage, personAnswers: false },
    broken: Promise.race([world.broken, ...(theatre.opened ? [theatre.opened.broken] : [])]),
    ...(theatre.opened && { wire: theatre.opened.wire }),
    turnLimitMs: model ? TURN_LIMIT_MS : REAL_TURN_LIMIT_MS,
  });
  const titles = inOrder(started, script);
  const shown = theatre.opened ? await theatre.show(titles) : { sidebar: {}, screenshots: [] };
  await world.manager.scan();
  const websocket = theatre.opened?.wire.answered ?? 0;
  const left = world.calls.unanswered().length + (theatre.opened?.wire.unanswered.length ?? 0);
  if (left > 0) faults.add(`At the end ${left} call(s) of our tools had no answer.`);
  const { unoffered } = world.calls;
  if (unoffered > 0) {
    faults.add(
      `OpenCode had no tool for ${unoffered} call(s) of ours: the bridge is not loaded, or a rule keeps the tool from the agent.`,
    );
  }
  return {
    opencode: world.opencode.version,
    calls: { websocket, headless: world.calls.ended - websocket },
    boards: boardLines(world.manager.boards(), titles),
    ...shown,
  };
}

/** Sessions start in any order; the result has the order of the script. */
function inOrder(titles: ReadonlyMap<string, string>, { sessions }: Script): Map<string, string> {
  const place = new Map(sessions.map(({ title }, index) => [title, index]));
  const at = ([, title]: readonly [string, string]): number => place.get(title) ?? sessions.length;
  return new Map([...titles].sort((a, b) => at(a) - at(b)));
}

interface Theatre {
  readonly stage: Stage;
  readonly opened: OpenedPage | undefined;
  /** What the page shows at the end, and pictures of it. */
  readonly show: (
    titles: ReadonlyMap<string, string>,
  ) => Promise<Pick<Result, 'sidebar' | 'screenshots'>>;
}

function closed({ world, vault }: Prepared): Theatre {
  const stage = new HttpStage(world.client, world.turns, new PersonOnNotes(world.manager, vault));
  const show = () => Promise.resolve({ sidebar: {}, screenshots: [] });
  return { stage, opened: undefined, show };
}

async function open(
  run: Run,
  { world, vault, page, model }: Prepared,
  chromium: string,
): Promise<Theatre> {
  if (page === undefined) throw new Error('The workbench was not started.');
  const opened = await openPage(chromium, run.cleanup, run.faults);
  const plugin = new PluginInPage(opened.page);
  await opened.page.goto(page, { timeout: CONNECT_LIMIT_MS });
  await plugin.ready();
  await soon(opened.wire.welcomed(), CONNECT_LIMIT_MS);
  await plugin.command('open-sidebar');
  const pictures = new Screenshots(opened.page, plugin, join(run.root, 'workbench', 'screenshots'));
  const person = new PersonInPage(
    opened.page,
    world.manager,
    new PersonOnNotes(world.manager, vault),
  );
  const stage = new PageStage(opened.page, plugin, person, opened.wire, world.turns, () =>
    pictures.once('modal'),
  );
  return {
    stage,
    opened,
    show: async (titles) => {
      const left = opened.page.locator('.modal-container .modal-title');
      for (const title of await left.allTextContents()) {
        run.faults.add(`At the end a dialog was open: ${title}`);
      }
      // A picture that can't be taken is a fault, and costs nothing else of the result.
      await takePictures(
        run,
        { page: opened.page, wire: opened.wire, plugin, pictures, model },
        titles,
      ).catch((error: unknown) => run.faults.caught('Not all pictures could be taken', error));
      const screenshots = await pictures.paths().catch(() => []);
      const sidebar = await readSidebar(opened.page, titles);
      for (const error of await plugin.errors()) run.faults.add(`The page had an error: ${error}`);
      return { sidebar, screenshots };
    },
  };
}

interface Studio {
  readonly model: ScriptedModel | undefined;
  readonly wire: WireWatch;
  readonly page: Page;
  readonly plugin: PluginInPage;
  readonly pictures: Screenshots;
}

async function takePictures(
  run: Run,
  { page, plugin, pictures, model, wire }: Studio,
  titles: ReadonlyMap<string, string>,
): Promise<void> {
  const first = page.locator(`[data-row="task"][data-session="${[...titles.keys()][0]}"]`);
  await pictures.ofEverything((await first.count()) > 0 ? first.first() : undefined);
  const folder = run.options.pictures;
  if (folder === undefined) return;
  const cast = model && { model, wire, sessions: [...titles.keys()] };
  await readmePictures(page, plugin, folder, cast);
}

/** @throws Error where the plugin does not find the bridge in time */
async function soon(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const words = `The plugin did not connect to OpenCode in ${ms / 1000} s.`;
    timer = setTimeout(() => reject(new Error(words)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
