import type { Ref } from 'preact';
import { useImperativeHandle } from 'preact/hooks';
import type { ViewWithActions, ViewActions } from './view-actions';

/** Exposes a view's actions to commands; `acts` is called each time one is looked up. */
export function useViewActions(
  handle: Ref<ViewWithActions> | undefined,
  acts: () => ViewActions,
): void {
  useImperativeHandle(handle ?? null, () => ({
    get acts(): ViewActions {
      return acts();
    },
  }));
}
