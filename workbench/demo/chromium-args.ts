import { isRoot } from './install-chromium';

/**
 * What Chromium has beside a page, and a page in it needs none of: without these two it does not load
 * the popup of its address bar, a page of its own, for each window. The others are those that Playwright
 * turns off, whose switch this one replaces.
 */
const NOT_NEEDED = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCORSURLLoaderRestartOnRedirect'],
  // It compiles a script while that arrives, also one that it compiled for the page before.
  'ScriptStreaming',
  ...['OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
];

/**
 * Without it V8 reads a script again to find the lines of its functions when it is first asked for them:
 * a fifth of the time in which the workbench opens, since each request is told with its lines.
 */
const LINES_AT_ONCE = '--js-flags=--no-enable-lazy-source-positions';

/** With what Chromium is started. */
export function chromiumArgs(): string[] {
  // Chromium's own sandbox does not work for root; nothing else is ever opened in it.
  const sandbox = isRoot() ? ['--no-sandbox'] : [];
  return [...sandbox, LINES_AT_ONCE, `--disable-features=${NOT_NEEDED.join(',')}`];
}
