// A bot that keeps its first cards and stays in. Set HOLOTABLE_URL and HOLOTABLE_TOKEN.
import { holotable, type Action, type Schemas } from "./index";

const api = holotable(process.env.HOLOTABLE_URL!, process.env.HOLOTABLE_TOKEN!);

function choose({ view, decision }: Schemas["TurnItem"]): Action {
  for (const legal of view.legal)
    if (legal.verb === "select")
      return { type: "select", decision, cards: view.me!.cards.slice(0, Math.max(1, legal.cards_min)) };
  for (const type of ["improve", "stand", "check", "call", "stay"] as const)
    if (view.legal.some((legal) => legal.verb === type)) return { type, decision };
  return { type: "fold", decision };
}

async function answer(turn: Schemas["TurnItem"]): Promise<void> {
  const header = { "Idempotency-Key": `${turn.table} ${turn.decision}` };
  const params = { path: { table_id: turn.table }, header };
  for (;;) {
    const { response } = await api.POST("/v1/tables/{table_id}/actions", { params, body: choose(turn) });
    if (response.status !== 429 && response.status !== 503) return;
    await new Promise((done) => setTimeout(done, 1000));
  }
}

async function play(): Promise<void> {
  for (let after: string | undefined; ; ) {
    const { data, error } = await api.GET("/v1/me/turns", { params: { query: { after, wait: 20 } } });
    if (!data) throw new Error(JSON.stringify(error));
    for (const item of data.items) {
      after = item.cursor;
      if (item.type === "turn") await answer(item);
      if (item.type === "tournament" && ["finished", "cancelled"].includes(item.state)) return;
    }
  }
}

void play();
