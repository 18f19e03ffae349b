import { boardLines } from './board-lines';
import { checkCalls } from './check-calls';
import { ScriptedRunAgents } from './scripted-run-agents';
import { RunsInPage } from './runs-in-page';
import type { GoalScript } from './goal-script';
import { ensureChromium } from './install-chromium';
import { playGoal } from './play-goal';
import { prepare, unwatchedPace, type Run } from './prepare';
import { readSidebar } from './read-sidebar';
import { EMPTY_RESULT, type Result } from './result';
import { NO_RUN, runLine } from './run-line';
import { RunPictures } from './run-pictures';
import { readStoredRuns } from './stored-runs';
import { reportOpenDialogs, openPluginPage, reportPageErrors } from './plugin-page';
import { playWithoutWindow } from './without-window';

/** time limit of the whole run */
const RUN_LIMIT_MS = 300_000;
/** longer, since a real model thinks and works */
const REAL_RUN_LIMIT_MS = 2 * 60 * 60_000;

/** A run of the demo that pursues a goal. */
export interface GoalRun extends Run {
  readonly goal: string;
  readonly script: GoalScript;
}

/** Pursues the goal without a window. Never throws: errors are part of the result. */
export function runGoalHeadless(run: GoalRun): Promise<Result> {
  return playWithoutWindow(run, play, { ...EMPTY_RESULT, run: NO_RUN });
}

async function play(run: GoalRun): Promise<Omit<Result, 'ok' | 'errors'>> {
  const { goal, script, faults, options } = run;
  const chromium = await ensureChromium(run.progress);
  const pictures = new RunPictures(options.pictures);
  const joins = options.engine === 'model';
  const cast = new ScriptedRunAgents(script, (answer) => pictures.beforeAnswer(answer), joins);
  const ready = await prepare(run, { ...unwatchedPace(faults), cast });
  const { world, vault, model } = ready;
  const page = await openPluginPage(run, ready, chromium);
  const { opened, plugin, stage } = page;
  pictures.setPage(page);
  const runs = new RunsInPage(opened.page);
  await playGoal({
    ...{ goal, script, world, stage, runs, plugin, wire: opened.wire, faults },
    broken: Promise.race([world.broken, opened.broken]),
    limitMs: model ? RUN_LIMIT_MS : REAL_RUN_LIMIT_MS,
  });
  await reportOpenDialogs(opened.page, faults);
  await pictures
    .atEnd()
    .catch((error: unknown) => faults.addError('Not all pictures could be taken', error));
  const storedRun = (await readStoredRuns(vault)).at(-1);
  const planner = storedRun?.state.kind === 'idle' ? null : (storedRun?.state.run.planner ?? null);
  const titles = new Map(planner === null ? [] : [[planner, goal]]);
  const sidebar = await readSidebar(opened.page, titles);
  await reportPageErrors(plugin, faults);
  checkCalls(world, opened.wire, faults);
  await world.manager.scan();
  const { answered } = opened.wire;
  return {
    ...(world.engine !== 'opencode' && { engine: world.engine }),
    opencode: world.opencode.version,
    calls: { websocket: answered, headless: world.calls.ended - answered },
    boards: boardLines(world.manager.boards(), titles),
    views: [],
    ...{ sidebar, screenshots: await page.pictures.paths().catch(() => []) },
    run: storedRun === undefined ? NO_RUN : runLine(storedRun),
  };
}
