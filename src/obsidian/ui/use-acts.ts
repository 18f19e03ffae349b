import type { Ref } from 'preact';
import { useImperativeHandle } from 'preact/hooks';
import type { ActingView, ViewActs } from './view-actions';

/** Tells commands what can be done in a view; `acts` is asked when one is looked for. */
export function useActs(handle: Ref<ActingView> | undefined, acts: () => ViewActs): void {
  useImperativeHandle(handle ?? null, () => ({
    get acts(): ViewActs {
      return acts();
    },
  }));
}
