//! `pawl demo`: the whole loop, on bundled data. Every stage looks first at what is there, so that a demo that was killed
//! goes on, and one that is run again says the same.

mod approved;
mod evolve;
mod report;
mod review;
mod scene;
mod wave;

use std::io::Write as _;

use owo_colors::OwoColorize as _;
use pawl_engine::mine::{MineReport, MineRequest, Mode};
use pawl_model::TriggeredBy;
use tokio_util::sync::CancellationToken;

use self::report::Loop;
use self::scene::{Scene, quoted};
use crate::cli::DemoArgs;
use crate::exit::Exit;
use crate::output::{self, FinishedRun, Format};
use crate::progress::Counter;

/// Takes an agent that is flawed on purpose once around the loop, and leaves the pages open on what came of it.
pub(crate) async fn demo(args: DemoArgs, stop: &CancellationToken) -> anyhow::Result<Exit> {
    let scene = Scene::set(&args, stop).await?;
    let told = Told { is_quiet: args.json };
    let came_of_it = play(&scene, &told).await;
    let exit = match came_of_it {
        Ok(Some(came_of_it)) => {
            let mut out = anstream::stdout();
            if args.json {
                output::write_json(&came_of_it.document(), &mut out)?;
            } else {
                told.stage(8, "What the loop came to")?;
                let url = args.stays().then_some(scene.url.as_str());
                came_of_it.write(url, &mut out)?;
                write_next_steps(&scene, &args, &mut out).await?;
            }
            if args.stays() {
                scene.stay().await;
            }
            Ok(Exit::Passed)
        }
        Ok(None) => Ok(Exit::Infrastructure),
        Err(error) => Err(error),
    };
    scene.end().await?;
    exit
}

/// All stages; nothing where it was stopped.
async fn play(scene: &Scene, told: &Told) -> anyhow::Result<Option<Loop>> {
    let mut out = anstream::stdout();
    let stopped = || scene.stop.is_cancelled();

    told.stage(
        1,
        "An agent that is flawed on purpose answers 2,000 questions, handed in under a policy",
    )?;
    evolve::begin(scene).await?;
    wave::month(scene).await?;
    let first = wave::run(scene, 1).await?;
    told.when(|| first.write("first wave", &mut out))?;
    if stopped() {
        return Ok(None);
    }

    told.stage(
        2,
        "What failed becomes patterns, and what is alike one suggestion",
    )?;
    let mined = mine(scene, 1).await?;
    told.when(|| Ok(output::write_mined(&mined, &mut out)?))?;

    told.stage(
        3,
        "Suggestions get tests, tried on what failed and what did not, and reviewed",
    )?;
    let reviewed = review::run(scene).await?;
    told.when(|| Ok(reviewed.write(&mut out)?))?;

    told.stage(4, "The approved tests against the agent as it is")?;
    let failing = approved::run(scene, 1).await?;
    told.run(scene, &failing).await?;
    if stopped() {
        return Ok(None);
    }

    told.stage(5, "Its prompt is evolved on 70 questions")?;
    let evolved = evolve::run(scene).await?;
    told.when(|| evolved.write(&mut out))?;
    if stopped() {
        return Ok(None);
    }

    told.stage(6, "A gate decides what becomes live")?;
    let decided = evolve::gate(scene, &evolved).await?;
    told.when(|| decided.write(&mut out))?;
    let live = scene.engine.live_prompt(scene.user, evolve::NAME).await?;
    let live = live.map_or(1, |live| live.version);

    told.stage(
        7,
        "The agent reads what is live: the approved tests again, and 2,000 questions",
    )?;
    let passing = approved::run(scene, live).await?;
    told.run(scene, &passing).await?;
    let second = wave::run(scene, 2).await?;
    told.when(|| second.write("second wave", &mut out))?;
    let mined_again = mine(scene, 2).await?;
    if stopped() {
        return Ok(None);
    }
    Ok(Some(Loop {
        suggestions: review::known(scene).await?.0,
        alike: reviewed.alike(scene).await?,
        waves: [first, second],
        mined: [mined, mined_again],
        reviewed,
        approved: [failing, passing],
        evolved,
        decided,
    }))
}

/// Mines what failed from a wave on, by rules.
async fn mine(scene: &Scene, wave: u8) -> anyhow::Result<MineReport> {
    let request = MineRequest {
        user_id: scene.user,
        since: scene.day(wave),
        triggered_by: TriggeredBy::Manual,
        mode: Mode::Store,
    };
    let counter = Counter::new("failing interactions", None);
    let report = scene
        .engine
        .mine(request, &scene.stop, |counts| counter.reach(counts.picked_up))
        .await;
    counter.clear();
    Ok(report?)
}

/// What is told on the way: all of it, or nothing where a program reads the report.
struct Told {
    is_quiet: bool,
}

impl Told {
    fn stage(&self, number: u8, what: &str) -> anyhow::Result<()> {
        self.when(|| {
            let gap = if number > 1 { "\n" } else { "" };
            writeln!(anstream::stdout(), "{gap}{}", format!("{number} · {what}").bold())?;
            Ok(())
        })
    }

    fn when(&self, write: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
        if self.is_quiet { Ok(()) } else { write() }
    }

    async fn run(&self, scene: &Scene, run: &FinishedRun) -> anyhow::Result<()> {
        if !self.is_quiet {
            let runs = std::slice::from_ref(run);
            output::write_runs(
                Format::Table,
                &scene.engine,
                scene.actor,
                runs,
                &mut anstream::stdout(),
            )
            .await?;
        }
        Ok(())
    }
}

async fn write_next_steps(
    scene: &Scene,
    args: &DemoArgs,
    out: &mut impl std::io::Write,
) -> anyhow::Result<()> {
    let data = quoted(&scene.folder);
    if args.stays() {
        let (email, password) = scene.log_in().await?;
        writeln!(out, "\n{}", "The pages are open".bold())?;
        writeln!(
            out,
            "  {}/dashboard    log in as {email}, password {password}",
            scene.url
        )?;
        writeln!(
            out,
            "  another search, at {}/prompts/{}: its model is {}\n  Ctrl-C closes them; `pawl demo` opens them again",
            scene.url,
            evolve::NAME,
            review::MODEL
        )?;
        return Ok(());
    }
    writeln!(out, "\n{}", "Where to look next".bold())?;
    writeln!(out, "  pawl review list --data {data}")?;
    writeln!(out, "  pawl prompt show {} --data {data}", evolve::NAME)?;
    writeln!(out, "  pawl lineage {}@2 --data {data}", evolve::NAME)?;
    writeln!(out, "  pawl verify --data {data}")?;
    writeln!(out, "  pawl demo --data {data}    # all of it in a browser")?;
    Ok(())
}
