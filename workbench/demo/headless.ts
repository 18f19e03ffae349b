import type { Page } from 'playwright-core';
import { boardLines } from './board-lines';
import type { OpenedPage } from './browser-page';
import { checkCalls } from './check-calls';
import { HttpStage } from './http-stage';
import { joinedTurns } from './joined-turns';
import { hasDemoNotes } from './demo-notes';
import { ensureChromium } from './install-chromium';
import { playMcpAgent } from './mcp-agent';
import { reportOpenDialogs, openPluginPage, reportPageErrors } from './plugin-page';
import { PersonOnNotes } from './person-on-notes';
import { playScript } from './play-script';
import type { PluginInPage } from './plugin-in-page';
import { prepare, unwatchedPace, type Prepared, type ScriptRun } from './prepare';
import { readSidebar } from './read-sidebar';
import { takeReadmePictures } from './readme-pictures';
import { checkEveryView } from './every-view';
import { EMPTY_RESULT, type Result, type ViewLine } from './result';
import type { Screenshots } from './screenshots';
import type { Script } from './script';
import type { ScriptedModel } from './scripted-model';
import type { Stage } from './stage';
import type { WireMonitor } from './wire-monitor';
import { playWithoutWindow } from './without-window';

/** longest silence of OpenCode during a turn */
const SILENCE_MS = 60_000;
/** longer, since a real model thinks and works */
const REAL_SILENCE_MS = 20 * 60_000;

/** Plays the script without a window. Never throws: errors are part of the result. */
export function runHeadless(run: ScriptRun): Promise<Result> {
  return playWithoutWindow(run, play, EMPTY_RESULT);
}

async function play(run: ScriptRun): Promise<Omit<Result, 'ok' | 'errors'>> {
  const { faults } = run;
  const script = run.options.engine === 'model' ? withoutShell(run.script) : run.script;
  // First, since Chromium may have to be installed: nothing else should run idle meanwhile.
  const chromium = run.options.plugin ? await ensureChromium(run.progress) : undefined;
  const ready = await prepare(run, unwatchedPace(faults));
  const { world, model, persons } = ready;
  const theatre: HeadlessStage =
    chromium === undefined ? stageWithoutPage(ready) : await stageInPage(run, ready, chromium);
  const started = new Map<string, string>();
  const mcpPlay = run.options.mcp ? playMcpAgent({ ...run, ...mcpOptions(ready) }) : undefined;
  // Awaited below, where an error is reported; this only avoids an unhandled rejection until then.
  mcpPlay?.catch(() => undefined);
  await playScript({
    titles: started,
    ...{ script, world, model, persons, faults, stage: theatre.stage, personAnswers: false },
    broken: Promise.race([world.broken, ...(theatre.opened ? [theatre.opened.broken] : [])]),
    ...(theatre.opened && { wire: theatre.opened.wire }),
    silenceMs: model ? SILENCE_MS : REAL_SILENCE_MS,
  });
  const mcp = await mcpPlay;
  const titles = sortByScript(started, script);
  if (mcp !== undefined) titles.set(mcp.session, mcp.title);
  const shown = theatre.opened ? await theatre.collectResult(titles) : EMPTY_PAGE_RESULT;
  await world.manager.scan();
  const websocket = (theatre.opened?.wire.answered ?? 0) - (mcp?.byPlugin ?? 0);
  checkCalls(world, theatre.opened?.wire, faults);
  return {
    ...(world.engine !== 'opencode' && { engine: world.engine }),
    opencode: world.opencode.version,
    calls: {
      websocket,
      headless: world.calls.ended - websocket,
      ...(mcp !== undefined && { mcp: mcp.calls }),
    },
    ...(mcp !== undefined && { client: mcp.client }),
    boards: boardLines(world.manager.boards(), titles),
    ...shown,
  };
}

function mcpOptions({ vault, page }: Prepared) {
  return { vault, origin: page === undefined ? undefined : new URL(page).origin, pauseMs: 0 };
}

/** Sorts the sessions, which start in any order, as in the script. */
function sortByScript(
  titles: ReadonlyMap<string, string>,
  { sessions }: Script,
): Map<string, string> {
  const place = new Map(sessions.map(({ title }, index) => [title, index]));
  const at = ([, title]: readonly [string, string]): number => place.get(title) ?? sessions.length;
  return new Map([...titles].sort((a, b) => at(a) - at(b)));
}

/** The script without its shell commands, for an engine that runs none. */
function withoutShell({ sessions }: Script): Script {
  const turned = sessions.map((session) => ({
    ...session,
    prompts: session.prompts.map((prompt) => ({
      ...prompt,
      turns: [
        ...joinedTurns(
          prompt.turns.map(({ tools = [], ...turn }) => ({
            ...turn,
            tools: tools.filter(({ name }) => name !== 'bash'),
          })),
        ),
      ],
      answers: prompt.answers.filter((one) => !('permission' in one) || one.permission !== 'bash'),
    })),
  }));
  return { sessions: turned };
}

interface HeadlessStage {
  readonly stage: Stage;
  readonly opened: OpenedPage | undefined;
  /** Collects what the page shows at the end, and takes pictures of it. */
  readonly collectResult: (
    titles: ReadonlyMap<string, string>,
  ) => Promise<Pick<Result, 'sidebar' | 'screenshots' | 'views'>>;
}

function stageWithoutPage({ world, vault }: Prepared): HeadlessStage {
  const stage = new HttpStage(world.client, world.turns, new PersonOnNotes(world.manager, vault));
  const show = () => Promise.resolve(EMPTY_PAGE_RESULT);
  return { stage, opened: undefined, collectResult: show };
}

async function stageInPage(
  run: ScriptRun,
  ready: Prepared,
  chromium: string,
): Promise<HeadlessStage> {
  const shown = await openPluginPage(run, ready, chromium);
  const { opened, plugin, pictures, stage } = shown;
  return {
    stage,
    opened,
    collectResult: async (titles) => {
      await reportOpenDialogs(opened.page, run.faults);
      // A picture that fails is reported as a fault, but does not lose the rest of the result.
      await takePictures(
        run,
        { ...ready, page: opened.page, wire: opened.wire, plugin, pictures },
        titles,
      ).catch((error: unknown) => run.faults.addError('Not all pictures could be taken', error));
      const sidebar = await readSidebar(opened.page, titles);
      const views = await checkViews(run, ready, shown).catch((error: unknown) => {
        run.faults.addError('Not all views could be opened', error);
        return [];
      });
      const screenshots = await pictures.paths().catch(() => []);
      await reportPageErrors(plugin, run.faults);
      return { sidebar, screenshots, views };
    },
  };
}

const EMPTY_PAGE_RESULT = { sidebar: {}, screenshots: [], views: [] };

/**
 * Opens every view on the first plan of the script and reports axe's findings as faults. It takes
 * half the time of a short script, so for the user's own scripts it only runs if pictures are
 * wanted.
 */
async function checkViews(
  run: ScriptRun,
  { world }: Prepared,
  { opened: { page }, plugin, pictures }: Awaited<ReturnType<typeof openPluginPage>>,
): Promise<readonly ViewLine[]> {
  if (run.options.script !== undefined && run.options.pictures === undefined) return [];
  await world.manager.scan();
  const [first] = world.manager.boards();
  if (first === undefined) return [];
  const views = await checkEveryView(page, plugin, pictures, first.title);
  for (const { id, axe } of views) {
    if (axe > 0) run.faults.add(`Axe finds ${axe} faults in the view ${id}.`);
  }
  return views;
}

const NO_DIALOG_PICTURES =
  'No pictures are taken of the dialog and of the audit: for these, the scripted model edits the notes of the demo.';

interface PictureSetup {
  readonly vault: string;
  readonly model: ScriptedModel | undefined;
  readonly wire: WireMonitor;
  readonly page: Page;
  readonly plugin: PluginInPage;
  readonly pictures: Screenshots;
}

async function takePictures(
  run: ScriptRun,
  { vault, page, plugin, pictures, model, wire }: PictureSetup,
  titles: ReadonlyMap<string, string>,
): Promise<void> {
  const first = page.locator(`[data-row="task"][data-session="${[...titles.keys()][0]}"]`);
  const planned = (await first.count()) > 0;
  await pictures.takeOverview(planned ? first.first() : undefined);
  const folder = run.options.pictures;
  if (folder === undefined) return;
  const asks = model !== undefined && hasDemoNotes(vault);
  if (!asks) run.progress(NO_DIALOG_PICTURES);
  const cast = asks ? { model, wire, sessions: [...titles.keys()] } : undefined;
  const title = planned ? [...titles.values()][0] : undefined;
  await takeReadmePictures(page, plugin, folder, { title, cast });
}
