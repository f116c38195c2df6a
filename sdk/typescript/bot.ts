// A bot that keeps its first cards and stays in. Set HOLOTABLE_URL and HOLOTABLE_TOKEN.
import { holotable, type Action, type Schemas } from "./index";

const api = holotable(process.env.HOLOTABLE_URL!, process.env.HOLOTABLE_TOKEN!);
const pause = (seconds: number) => new Promise((done) => setTimeout(done, 1000 * seconds));
// Ask until there is an answer that is neither 429 nor 503.
async function asked<T extends { response: Response }>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    const got = await ask().catch(() => undefined);
    if (got && got.response.status !== 429 && got.response.status !== 503) return got;
    await pause(Number(got?.response.headers.get("Retry-After") ?? 1));
  }
}

function choose({ view, decision }: Schemas["TurnItem"]): Action {
  for (const legal of view.legal)
    if (legal.verb === "select")
      return { type: "select", decision, cards: view.me!.cards.slice(0, Math.max(1, legal.cards_min)) };
  for (const type of ["improve", "stand", "check", "call", "stay"] as const)
    if (view.legal.some((legal) => legal.verb === type)) return { type, decision };
  return { type: "fold", decision };
}

async function play(): Promise<void> {
  for (let after: string | undefined; ; ) {
    const { data, error } = await asked(() => api.GET("/v1/me/turns", { params: { query: { after, wait: 20 } } }));
    if (!data) throw new Error(JSON.stringify(error));
    for (const item of data.items) {
      after = item.cursor;
      if (item.type === "tournament" && ["finished", "cancelled"].includes(item.state)) return;
      if (item.type !== "turn") continue;
      const header = { "Idempotency-Key": `${item.table} ${item.decision}` };
      const params = { path: { table_id: item.table }, header };
      await asked(() => api.POST("/v1/tables/{table_id}/actions", { params, body: choose(item) }));
    }
  }
}

void play();
