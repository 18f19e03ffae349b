import { useLayoutEffect, useState } from 'preact/hooks';

/** Whole seconds until `at` (ms since the epoch), counted down once a second; 0 when it is past. */
export function Countdown({ at }: { readonly at: number }) {
  const [now, setNow] = useState(() => Date.now());
  useLayoutEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1_000);
    return () => window.clearInterval(timer);
  }, []);
  return <>{Math.max(0, Math.ceil((at - now) / 1_000))} s</>;
}
