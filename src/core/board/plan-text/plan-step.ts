import type { SourceTask } from '../import/plan-builder';

/** A step as the text says it. */
export interface PlanStep {
  readonly title: string;
  /** what other steps call it; else it is called by its place, `2` or `2.1` */
  readonly label?: string | undefined;
  readonly body?: readonly string[];
  /** what must be true when it is done */
  readonly success?: readonly string[];
  readonly tools?: readonly string[];
  /** labels */
  readonly dependsOn?: readonly string[];
  readonly steps?: readonly PlanStep[];
  readonly phase?: string | undefined;
  readonly fields?: Pick<
    SourceTask,
    'status' | 'priority' | 'owner' | 'estimate' | 'scope' | 'risk' | 'impact' | 'level'
  >;
}
