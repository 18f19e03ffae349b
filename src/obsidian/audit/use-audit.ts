import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { CallRow } from '../../core/permission/audit/audit-row';
import type { AuditDeps } from './audit-deps';
import type { AuditSource, AuditState } from './audit-source';

/** px of a view that has room for a detail beside its list. */
const ROOM = 700;

/** The audit as it stands; it is followed for as long as the view is there. */
export function useAudit(source: AuditSource): AuditState {
  const [state, setState] = useState(source.state);
  useLayoutEffect(() => {
    const undo = source.onChange(() => setState(source.state));
    const leave = source.watch();
    setState(source.state);
    return () => {
      undo();
      leave();
    };
  }, [source]);
  return state;
}

/** Whether the person is asked about a call at this moment. */
export function useWaits(asks: AuditDeps['asks']): (call: CallRow) => boolean {
  const [all, setAll] = useState(() => asks.all());
  useLayoutEffect(() => {
    setAll(asks.all());
    return asks.onChange(() => setAll(asks.all()));
  }, [asks]);
  return useMemo(
    () => (call) =>
      all.some(({ callId, sessionId }) => {
        const { sent } = call.intent;
        return sent !== undefined && sent === callId && sessionId === call.intent.sessionId;
      }),
    [all],
  );
}

/** Whether the view has room for one thing only. */
export function usePage(root: RefObject<HTMLElement | null>): boolean {
  const [page, setPage] = useState(false);
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return undefined;
    const measure = () => setPage(element.clientWidth > 0 && element.clientWidth < ROOM);
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    measure();
    return () => sizes.disconnect();
  }, [root]);
  return page;
}
