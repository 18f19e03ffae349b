import { isRoot } from './install-chromium';

/**
 * Chromium features that a page does not need. Without the first two, Chromium does not load its
 * address bar's popup, itself a page, for each window. The others are those that Playwright
 * disables, whose switch this one replaces.
 */
const DISABLED_FEATURES = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCORSURLLoaderRestartOnRedirect'],
  // It compiles a script while that is downloaded, even if it was compiled for an earlier page.
  'ScriptStreaming',
  ...['OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
];

/**
 * Otherwise V8 parses a script again when it first needs the line numbers of its functions: a fifth
 * of the time in which the workbench opens, since each request is reported with its stack.
 */
const EAGER_SOURCE_POSITIONS = '--js-flags=--no-enable-lazy-source-positions';

/** The command line arguments of Chromium. */
export function chromiumArgs(): string[] {
  // Chromium's own sandbox does not work for root; only our own pages are opened in it.
  const sandbox = isRoot() ? ['--no-sandbox'] : [];
  return [...sandbox, EAGER_SOURCE_POSITIONS, `--disable-features=${DISABLED_FEATURES.join(',')}`];
}
