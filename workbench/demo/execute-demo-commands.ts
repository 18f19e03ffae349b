interface Command {
  readonly id: number;
  readonly run: 'start' | 'send' | 'goal';
  readonly title: string;
  readonly sessionId: string;
  readonly text: string;
  readonly wish: object;
}

interface Runtime {
  start(what: { title: string }): Promise<{ sessionId: string }>;
  send(sessionId: string, text: string): Promise<void>;
}

interface Runs {
  start(
    wish: object,
  ): Promise<{ readonly ok: true; readonly value: string } | { ok: false; message: string }>;
}

interface PluginWindow {
  readonly workbench: {
    readonly plugin: Promise<{ readonly runtime: Runtime; readonly runs: Runs }>;
    readonly ready: Promise<unknown>;
    runCommand(id: string): boolean;
  };
}

/**
 * Runs in the page as a script of its own: makes the plugin start sessions and send messages when
 * the demo asks for it. It must not use anything outside, since its source text is sent to the
 * page. With several tabs, one follows.
 */
export function executeDemoCommands(commands: string, answers: string): void {
  const here = window as unknown as Partial<PluginWindow>;
  const plugin = async (): Promise<{ readonly runtime: Runtime; readonly runs: Runs }> => {
    while (!here.workbench) {
      await new Promise((resolve) => window.addEventListener('workbench', resolve, { once: true }));
    }
    await here.workbench.ready;
    return here.workbench.plugin;
  };
  const execute = async (command: Command): Promise<string> => {
    const { runtime, runs } = await plugin();
    if (command.run === 'goal') {
      const run = await runs.start(command.wish);
      if (!run.ok) throw new Error(run.message);
      here.workbench?.runCommand('agent-task-boards:open-run');
      return run.value;
    }
    if (command.run === 'start') return (await runtime.start({ title: command.title })).sessionId;
    await runtime.send(command.sessionId, command.text);
    return '';
  };
  // The page may be ready before the plugin has found the bridge.
  const patiently = async (command: Command, tries: number): Promise<string> => {
    try {
      return await execute(command);
    } catch (error) {
      const offline = /not connected/i.test(String(error));
      if (!offline || tries === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
      return patiently(command, tries - 1);
    }
  };
  // Opens the plan next to the sidebar as soon as there is one. A reloaded page has started no
  // session and opens the first plan in the sidebar.
  let first: string | undefined;
  const openPlan = (tries: number): void => {
    const rows = [...document.querySelectorAll<HTMLElement>('[data-row="task"]')];
    const row = rows.find(({ dataset }) => first === undefined || dataset['session'] === first);
    if (row) row.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
    else if (tries > 0) setTimeout(() => openPlan(tries - 1), 250);
  };
  const answer = (id: number, outcome: object): void => {
    void fetch(answers, { method: 'POST', body: JSON.stringify({ id, ...outcome }) });
  };
  const follow = (): void => {
    new EventSource(commands).onmessage = ({ data }: MessageEvent<string>) => {
      const command = JSON.parse(data) as Command;
      patiently(command, 240).then(
        (value) => {
          if (command.run === 'start') first ??= value;
          answer(command.id, { ok: true, value });
        },
        (error: unknown) => answer(command.id, { ok: false, message: String(error) }),
      );
    };
  };
  // The lock is held until the tab is closed; then the next tab follows.
  void navigator.locks.request('agent-task-boards-demo', () => {
    follow();
    void plugin().then(() => {
      here.workbench?.runCommand('agent-task-boards:open-sidebar');
      openPlan(480);
    });
    return new Promise<never>(() => {});
  });
}
