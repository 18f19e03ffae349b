/**
 * The page: builds the stand-in over the served vault and enables the plugin. Parameters:
 * `theme=dark|light`; `phone=1` emulates the app on a phone, without any desktop API; `handles=1`
 * allows paths through open folders, as on Linux: each step is then a call to the server.
 */
import { setup } from 'obsidian-test-mocks/setup';
import { App } from './obsidian/app';
import { startBlockingCalls } from './node/server-call';
import { setDevice } from './obsidian/platform';
import type { Plugin } from './obsidian/plugin';
import { CapacitorAdapter, FileSystemAdapter } from './obsidian/platform-adapters';
import { startTooltips } from './obsidian/tooltip';
import { collectPageErrors } from './page-errors';
import { loadPlugin } from './plugin-loader';
import { addCoreFeatures } from './shell/core-features';
import { setTheme } from './shell/theme';
import { onDiskChange, vaultFacts } from './vault-client';
import { workbenchApi, type WorkbenchApi } from './workbench-api';

declare global {
  interface Window {
    app: App;
    workbench: WorkbenchApi;
  }
}

async function start(): Promise<Plugin> {
  const parameters = new URLSearchParams(window.location.search);
  const phone = parameters.get('phone') === '1';
  setDevice(phone ? 'phone' : 'desktop');
  const blocking = phone ? undefined : startBlockingCalls();
  const facts = await vaultFacts();
  const Adapter = phone ? CapacitorAdapter : FileSystemAdapter;
  const app = new App(new Adapter(facts.name, facts.basePath), facts);
  window.app = app;
  setTheme(app, parameters.get('theme') === 'light' ? 'light' : 'dark');
  document.title = `${facts.name} - Workbench`;
  document.body.replaceChildren(app.frame.containerEl);
  startTooltips();
  await blocking;
  return enable(app, parameters.get('handles') === '1');
}

async function enable(app: App, handles: boolean): Promise<Plugin> {
  await addCoreFeatures(app);
  await app.fillMetadataCache();
  onDiskChange((paths) => {
    for (const path of paths) app.vault.trigger('raw', path);
    app.vault.reconcile(paths).catch(reportError);
  });
  try {
    return await loadPlugin(app, handles);
  } finally {
    await app.workspace.markReady();
  }
}

collectPageErrors();
setup();
const ready = start();
ready.catch(reportError);
window.workbench = workbenchApi(() => window.app, ready);
