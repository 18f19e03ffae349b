/** Today, `YYYY-MM-DD`: where nothing was done for a week, the sidebar folds a session away. */
export const RECENT = new Date().toISOString().slice(0, 10);
