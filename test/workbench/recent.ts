/** Today, `YYYY-MM-DD`: the sidebar folds sessions that were inactive for a week. */
export const RECENT = new Date().toISOString().slice(0, 10);
