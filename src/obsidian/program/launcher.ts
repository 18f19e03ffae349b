import type { Undo } from '../../core/ports';
import { Listeners } from '../../core/session/listeners';
import type { StartedProgram, StartRequest } from '../../core/session/program-host';
import { errorText, t, translated } from '../language/text';
import type { AllowedTargets } from '../adapter/device-storage';
import type { Notify } from '../ui/notify';
import { commandText } from './agent-entry';

/** The state of a program that is started from here. */
export type ProgramState =
  | { readonly kind: 'off' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly url: string | undefined }
  | { readonly kind: 'failed'; readonly message: string };

interface LauncherDeps {
  /** Starts the program; returns a sentence if that fails. */
  readonly start: (
    heard: Pick<StartRequest, 'onLine' | 'onExit'>,
    /** whether this start is still wanted: it may be stopped while the program is looked for */
    wanted: () => boolean,
  ) => Promise<StartedProgram | string>;
  /** Whether the person allows starting it on this device. */
  readonly allowed: () => boolean;
  readonly notify: Notify;
  /** The program is ready for sessions. */
  readonly onReady: () => void;
}

/** Maximum lines of the log. */
const MAX_LOG_LINES = 200;

/**
 * A program that is started from here, only at the person's request. It is never restarted
 * automatically.
 */
export class Launcher {
  private now: ProgramState = { kind: 'off' };
  private started: StartedProgram | undefined;
  private lines: readonly string[] = [];
  private readonly changed = new Listeners<undefined>();

  constructor(private readonly deps: LauncherDeps) {}

  get state(): ProgramState {
    return this.now;
  }

  /** Its last lines of output, oldest first, without secrets. */
  get log(): readonly string[] {
    return this.lines;
  }

  get allowed(): boolean {
    return this.deps.allowed();
  }

  get busy(): boolean {
    return this.now.kind === 'starting' || this.now.kind === 'running';
  }

  onChange(listener: () => void): Undo {
    return this.changed.add(listener);
  }

  /** Starts the program unless it runs; a notice shows the result. */
  async start(): Promise<void> {
    if (this.busy || !this.allowed) return;
    this.lines = [];
    const starting: ProgramState = { kind: 'starting' };
    this.set(starting);
    try {
      await this.launch(starting);
    } catch (error) {
      if (this.now !== starting) return; // it was stopped, and perhaps started again
      this.fail(errorText(error));
    }
  }

  /** Stops the program. */
  stop(): void {
    const { started } = this;
    this.started = undefined;
    this.set({ kind: 'off' });
    started?.kill();
  }

  /** The plugin closes: stops the program. */
  close(): void {
    this.changed.clear();
    this.stop();
  }

  /**
   * @param starting the state of this start; another state means that it was stopped or started
   *   again
   */
  private async launch(starting: ProgramState): Promise<void> {
    const callbacks = {
      onLine: (line: string) => this.add(line),
      onExit: (how: string, lastError?: string) => {
        if (this.started === started && this.now.kind === 'running') this.fail(how, lastError);
      },
    };
    const started = await this.deps.start(callbacks, () => this.now === starting);
    if (this.now !== starting) {
      if (typeof started !== 'string') started.kill();
      return;
    }
    if (typeof started === 'string') return this.fail(started);
    this.started = started;
    const ready = await started.ready;
    if (this.started !== started) return;
    if (!ready.ok) {
      this.fail(ready.message, ready.lastError);
      return;
    }
    this.set({ kind: 'running', url: ready.url });
    this.deps.onReady();
  }

  /** Stops what is left of the program; only the person starts it again. */
  private fail(words: string, lastError?: string): void {
    this.started?.kill();
    this.started = undefined;
    const message = translated(words);
    this.set({ kind: 'failed', message });
    const error = translated(lastError ?? '');
    const notice = error === '' ? message : t('program.lastError', { message, error });
    this.deps.notify(notice, { label: t('common.tryAgain'), onClick: () => void this.start() });
  }

  private add(line: string): void {
    this.lines = [...this.lines, line].slice(-MAX_LOG_LINES);
    this.changed.call(undefined);
  }

  private set(state: ProgramState): void {
    this.now = state;
    this.changed.call(undefined);
  }
}

/** Asks the person before anything is started that they neither set nor allowed on this device. */
export class StartConsent {
  constructor(
    private readonly allowed: AllowedTargets,
    private readonly ask: (command: string) => Promise<boolean>,
  ) {}

  /**
   * Whether a command may be started. A yes of the person is remembered.
   * @param targets what of it the person must have allowed, by program
   * @param command all of it, to be shown
   */
  async allows(
    targets: Readonly<Record<string, string>>,
    command: readonly string[],
  ): Promise<boolean> {
    const { allowed } = this;
    if (Object.entries(targets).every(([id, target]) => allowed.of(id) === target)) return true;
    if (!(await this.ask(commandText(command)))) return false;
    this.allow(targets);
    return true;
  }

  /** The person has set these. */
  allow(targets: Readonly<Record<string, string>>): void {
    for (const [id, target] of Object.entries(targets)) this.allowed.set(id, target);
  }
}
