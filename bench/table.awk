# Lines "engine model quantity value" to tables; of several values the smallest counts.
{
    key = $1 " " $2 " " $3
    if (!(key in value) || $4 + 0 < value[key])
        value[key] = $4 + 0
}

function has(key) { return key in value }

# Three significant digits, or a dash.
function show(key)
{
    return has(key) ? digits(value[key]) : "–"
}

function digits(x)
{
    if (x != 0 && (x < 1e-3 || x >= 1e6))
        return sprintf("%.1e", x)
    return sprintf(x < 10 ? "%.3f" : x < 100 ? "%.1f" : "%.0f", x)
}

# How ten seconds ended.
function ending(p)
{
    if (has(p "stopped"))
        return "stopped at " digits(value[p "stopped"]) " s"
    return show(p "angle") (has(p "angle") && value[p "angle"] > 0.1 ? " (wrong branch)" : "")
}

function verdict(good) { return good ? "ok" : "**missed**" }

function ratio(engine, model, quantity,    a, b)
{
    a = "dalembert " model " " quantity
    b = engine " " model " " quantity
    return has(a) && has(b) ? value[b] / value[a] : 0
}

function show_ratio(r) { return r ? sprintf(r < 100 ? "%.2f" : "%.0f", r) : "–" }

# A claim: what was measured, what it may be at most.
function claim(text, measured, limit)
{
    printf "| %s | %s | ≤ %s | %s |\n", text, digits(measured), limit, verdict(measured <= limit)
}

function tree_rows(quantity, title, target,    i, model, r, limit, count)
{
    for (i = 1; i <= n_models; i++) {
        model = models[i]
        r = ratio("mujoco", model, quantity)
        limit = quantity == "forward" && model == "chain1000" ? 50 : target
        count = "dalembert " model " " quantity "-instructions"
        printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", title, model, show("dalembert " model " " quantity),
            show("mujoco " model " " quantity), show_ratio(r), "≥ " limit, r ? verdict(r >= limit) : "–",
            show("simbody " model " " quantity), show_ratio(ratio("simbody", model, quantity)),
            has(count) ? sprintf("%.0f", value[count]) : "–", has(count) ? sprintf("%.0f", value[count] / joints[model]) : "–"
    }
}

function growth(text, a, b, limit)
{
    if (has(a) && has(b))
        claim(text, value[b] / value[a], limit)
}

END {
    n_models = split("chain7 chain20 chain100 chain1000 arm7 humanoid30", models, " ")
    split("7 20 100 1000 7 25", number, " ")
    for (i = 1; i <= n_models; i++)
        joints[models[i]] = number[i]

    print "Trees: microseconds of a call, how many times as long another engine takes, instructions of ours.\n"
    print "| what | model | Dalembert | MuJoCo | ratio | target | | Simbody | ratio | instructions | a joint |"
    print "|---|---|---|---|---|---|---|---|---|---|---|"
    tree_rows("forward", "forward dynamics", 2.5)
    tree_rows("inverse", "inverse dynamics", 3)
    tree_rows("mass", "mass matrix", 2)

    print "\nN four-bar linkages: one acceleration at a = -0.5 (µs, largest error), and ten seconds (milliseconds of computing for a"
    print "second of motion, largest residual of the loops, error of the crank's angle at the end; small: it stayed on its branch).\n"
    print "| N | engine | acceleration | error | a second | residual | error of a(10) |"
    print "|---|---|---|---|---|---|---|"
    n_engines = split("dalembert mujoco simbody", engines, " ")
    split("Dalembert MuJoCo Simbody", titles, " ")
    n_sizes = split("2 40 400 4000", sizes, " ")
    for (s = 1; s <= n_sizes; s++)
        for (e = 1; e <= n_engines; e++) {
            p = engines[e] " fourbar" sizes[s] " "
            if (has(p "acceleration") || has(p "second"))
                printf "| %s | %s | %s | %s | %s | %s | %s |\n", sizes[s], titles[e], show(p "acceleration"), show(p "error"),
                    show(p "second"), show(p "residual"), ending(p)
        }

    print "\n| claim | measured | target | |"
    print "|---|---|---|---|"
    growth("forward dynamics, time(1000 links) / time(100 links)", "dalembert chain100 forward", "dalembert chain1000 forward", 11)
    growth("inverse dynamics, time(1000 links) / time(100 links)", "dalembert chain100 inverse", "dalembert chain1000 inverse", 11)
    growth("four-bar, time(N = 4000) / time(N = 400)", "dalembert fourbar400 acceleration", "dalembert fourbar4000 acceleration", 12)
    for (s = 1; s <= n_sizes; s++) {
        p = "dalembert fourbar" sizes[s] " "
        if (has(p "error"))
            claim("four-bar, N = " sizes[s] ": error of the acceleration", value[p "error"], 1e-12)
        if ((sizes[s] == 40 || sizes[s] == 400))
            growth("four-bar, N = " sizes[s] ": time / time of MuJoCo", "mujoco fourbar" sizes[s] " acceleration", p "acceleration", 1)
        if (has(p "angle"))
            claim("four-bar, N = " sizes[s] ": error of a(10)", value[p "angle"], 1e-6)
    }
}
